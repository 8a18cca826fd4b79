/** All the work: the page itself stays free, however long a text is. */

import { NotReadyError, ready } from "toolmend";

import type { Question, Reply } from "./messages.js";
import { type Report, report } from "./report.js";
import type { State } from "./state.js";

// Before anything is asked: the module is compiled meanwhile. Where that fails, the first answer says so.
ready().catch(() => undefined);

addEventListener("message", ({ data }: MessageEvent<Question>) => void answer(data));

async function answer({ id, state }: Question): Promise<void> {
  const found = await reportOf(id, state);
  reply({ id, kind: "report", report: found });
  if (found.kind === "answer" && found.feedback !== "") {
    reply({ id, kind: "tokens", tokens: await tokens(found.feedback) });
  }
}

async function reportOf(id: number, state: State): Promise<Report> {
  try {
    return report(state);
  } catch (error) {
    if (!(error instanceof NotReadyError)) {
      return fault(error);
    }
  }
  try {
    reply({ id, kind: "loading" });
    await ready({ full: true });
    return report(state);
  } catch (error) {
    return fault(error);
  }
}

function fault(error: unknown): Report {
  return { kind: "fault", reason: error instanceof Error ? error.message : String(error) };
}

async function tokens(text: string): Promise<number | undefined> {
  try {
    const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
    return countTokens(text);
  } catch {
    // Offline before it was fetched: the feedback stands without its count.
    return undefined;
  }
}

function reply(message: Reply): void {
  postMessage(message);
}
