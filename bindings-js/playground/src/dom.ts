/** Elements, made and found. Text is always text: nothing that was pasted is ever read as HTML. */

type Child = Node | string | undefined | false;

/** Makes an element with attributes and children; a listener is given as `onclick` and its like. */
export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | boolean | undefined>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.filter((child) => child !== undefined && child !== false));
  return element;
}

/** The element of the page with this `id`, which is known to be there. */
export function part<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (element === null) {
    throw new Error(`the page has no element \`${id}\``);
  }
  return element as T;
}

/** `1 repair`, `2 repairs`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
