/** What a host checks between validation and the tool: preconditions, rules of its business. */

import type { Contract } from "../contract.js";
import type { HostRefusal, Outcome } from "../types.js";

/** What a guard says: nothing, one line that a model can act on, an issue, or several of these. */
// biome-ignore lint/suspicious/noConfusingVoidType: a guard that has nothing to say may simply end
export type GuardAnswer = undefined | null | void | string | HostRefusal | readonly (string | HostRefusal)[];

/**
 * Called with the canonical arguments, which it must not change. What it throws is thrown to the caller, in report mode
 * too: what is wrong there is the guard, and not the call.
 */
// biome-ignore lint/suspicious/noExplicitAny: a guard takes the arguments apart by the names that its tool's schema has
export type Guard = (value: any, call: { readonly tool: string }) => GuardAnswer | PromiseLike<GuardAnswer>;

/** Asks every guard about an accepted call: the outcome as it is, or the refusal of all that object. */
export function guarded(contract: Contract, tool: string, guards: readonly Guard[], outcome: Outcome): Outcome {
  const issues = guards.flatMap((guard) => {
    const told = guard(outcome.value, { tool });
    if (isThenable(told)) {
      // What becomes of it is nobody's business any more.
      told.then(undefined, () => undefined);
      throw new TypeError("an asynchronous guard needs `repairAsync` or `decideAsync`");
    }
    return issuesOf(told);
  });
  return issues.length > 0 ? contract.refuse(issues) : outcome;
}

/** The same, which awaits what is asynchronous. */
export async function guardedAsync(
  contract: Contract,
  tool: string,
  guards: readonly Guard[],
  outcome: Outcome,
): Promise<Outcome> {
  const issues: HostRefusal[] = [];
  for (const guard of guards) {
    issues.push(...issuesOf(await guard(outcome.value, { tool })));
  }
  return issues.length > 0 ? contract.refuse(issues) : outcome;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

function issuesOf(told: unknown): readonly HostRefusal[] {
  if (told === undefined || told === null) {
    return [];
  }
  if (typeof told === "string") {
    return [{ hint: told }];
  }
  if (Array.isArray(told)) {
    return told.flatMap(issuesOf);
  }
  if (typeof told === "object") {
    return [told as HostRefusal];
  }
  throw new TypeError(`a guard must return nothing, a string, an issue, or a list of these, not a ${typeof told}`);
}
