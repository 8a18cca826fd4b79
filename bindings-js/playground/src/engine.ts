/** Asks the worker, one question at a time, and only the latest: whoever types faster than it answers does not wait. */

import type { Question, Reply } from "./messages.js";
import type { Report } from "./report.js";
import type { State } from "./state.js";

export interface Listener {
  report(report: Report): void;
  tokens(count: number | undefined): void;
  /** The full validator is on its way. */
  loading(): void;
}

/** A worker that says nothing for so long is replaced. */
const PATIENCE = 15_000;
/** What is fetched may come slowly. */
const PATIENCE_LOADING = 120_000;

export class Engine {
  readonly #listener: Listener;
  #worker = start();
  #id = 0;
  #isBusy = false;
  #next: State | undefined;
  #timer: number | undefined;

  constructor(listener: Listener) {
    this.#listener = listener;
    this.#listen();
  }

  ask(state: State): void {
    if (this.#isBusy) {
      this.#next = state;
      return;
    }
    this.#isBusy = true;
    this.#id += 1;
    this.#wait(PATIENCE);
    this.#worker.postMessage({ id: this.#id, state } satisfies Question);
  }

  #listen(): void {
    this.#worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.#hear(data));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#replace("The worker failed to start or broke down. Reloading the page may help.");
    });
  }

  #hear(reply: Reply): void {
    if (reply.id !== this.#id) {
      return;
    }
    switch (reply.kind) {
      case "loading":
        this.#wait(PATIENCE_LOADING);
        this.#listener.loading();
        break;
      case "report":
        this.#settle(reply.report);
        break;
      case "tokens":
        this.#listener.tokens(reply.tokens);
        break;
    }
  }

  #settle(report: Report): void {
    clearTimeout(this.#timer);
    this.#isBusy = false;
    const next = this.#next;
    this.#next = undefined;
    if (next === undefined) {
      this.#listener.report(report);
    } else {
      this.ask(next);
    }
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#replace(`There was no answer within ${milliseconds / 1000} seconds, so the work was stopped.`);
    }, milliseconds);
  }

  #replace(reason: string): void {
    this.#worker.terminate();
    this.#worker = start();
    this.#listen();
    this.#settle({ kind: "fault", reason });
  }
}

function start(): Worker {
  return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "toolmend" });
}
