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

class Engine {
  #listener: Listener | undefined;
  #worker: Worker | undefined;
  #id = 0;
  #isBusy = false;
  #next: State | undefined;
  #isForgotten = false;
  #timer: number | undefined;

  constructor() {
    this.#worker = this.#start();
  }

  /** Who is told, from now on. */
  tell(listener: Listener): void {
    this.#listener = listener;
  }

  ask(state: State): void {
    if (this.#isBusy) {
      this.#next = state;
      return;
    }
    this.#isBusy = true;
    this.#isForgotten = false;
    this.#id += 1;
    this.#wait(PATIENCE);
    this.#worker ??= this.#start();
    this.#worker.postMessage({ id: this.#id, state } satisfies Question);
  }

  /** What was asked is of no interest any more. */
  forget(): void {
    this.#next = undefined;
    this.#isForgotten = true;
  }

  #start(): Worker {
    const worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "toolmend" });
    worker.addEventListener("message", ({ data }: MessageEvent<Reply>) => this.#hear(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#giveUp("The worker failed to start or broke down. The next change starts it again.");
    });
    return worker;
  }

  #hear(reply: Reply): void {
    if (reply.id !== this.#id) {
      return;
    }
    switch (reply.kind) {
      case "loading":
        this.#wait(PATIENCE_LOADING);
        this.#listener?.loading();
        break;
      case "report":
        this.#settle(reply.report);
        break;
      case "tokens":
        if (!this.#isForgotten) {
          this.#listener?.tokens(reply.tokens);
        }
        break;
    }
  }

  #settle(report: Report): void {
    clearTimeout(this.#timer);
    this.#isBusy = false;
    const next = this.#next;
    this.#next = undefined;
    if (next !== undefined) {
      this.ask(next);
    } else if (!this.#isForgotten) {
      this.#listener?.report(report);
    }
  }

  #wait(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => {
      this.#giveUp(`There was no answer within ${milliseconds / 1000} seconds, so the work was stopped.`);
    }, milliseconds);
  }

  /** The next question starts another worker: one that cannot start is not started over and over. */
  #giveUp(reason: string): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#settle({ kind: "fault", reason });
  }
}

/** The page's one engine. Its worker starts when this module is loaded. */
export const engine = new Engine();
