/** Copies text, and says so; where the browser refuses, the text is there to be copied by hand. */

import { part } from "./dom.js";

const SAID_FOR = 4_000;
let timer: number | undefined;

export function say(text: string): void {
  const toast = part("toast");
  toast.textContent = text;
  toast.classList.add("is-shown");
  clearTimeout(timer);
  timer = window.setTimeout(() => {
    toast.classList.remove("is-shown");
    toast.textContent = "";
  }, SAID_FOR);
}

export async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    const area = part<HTMLTextAreaElement>("manual-text");
    area.value = text;
    part<HTMLDialogElement>("manual").showModal();
    area.select();
  }
}
