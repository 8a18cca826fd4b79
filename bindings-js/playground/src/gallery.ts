/** The failures that can be tried. */

import examples from "virtual:gallery";

import { make, part } from "./dom.js";
import type { Example } from "./examples.js";

export class Gallery {
  readonly #why = part("why");
  readonly #buttons: readonly HTMLButtonElement[];

  constructor(onChoose: (example: Example) => void) {
    this.#buttons = examples.map((example) => {
      const kind = example.isRefused ? "is refused" : example.policy;
      const button = make(
        "button",
        { type: "button", class: `chip ${example.isRefused ? "refused" : "mended"}`, "data-name": example.name },
        example.title,
        make("span", { class: "hidden" }, `, ${kind}`),
      );
      button.addEventListener("click", () => onChoose(example));
      return button;
    });
    part("gallery").append(...this.#buttons.map((button) => make("li", {}, button)));
  }

  get first(): Example {
    const [example] = examples;
    if (example === undefined) {
      throw new Error("the gallery is empty");
    }
    return example;
  }

  /** Says which is on the page; none once something was changed. */
  choose(example: Example | undefined): void {
    for (const button of this.#buttons) {
      const isChosen = button.dataset.name === example?.name;
      button.toggleAttribute("aria-current", isChosen);
      if (isChosen) {
        button.setAttribute("aria-current", "true");
      }
    }
    this.#why.textContent = example?.why ?? "Your own call.";
  }
}
