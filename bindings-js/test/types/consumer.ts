// Compiled, never run: what the types must and must not allow.

import {
  type Accepted,
  type Code,
  type Contract,
  compile,
  type Issue,
  type Log,
  type Outcome,
  type Override,
  type PolicyName,
  type Refused,
  type RuleName,
  type Rules,
  SchemaError,
  type Status,
} from "toolmend";
import * as z from "zod";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
declare function same<A, B>(yes: Same<A, B>): void;

const contract = compile<{ names: string[] }>({ type: "object" }, { policy: "narrow", numbers: "bigint" });
const outcome: Outcome<{ names: string[] }> = contract.repair("{}");

if (outcome.ok) {
  same<typeof outcome, Accepted<{ names: string[] }>>(true);
  same<typeof outcome.value, { names: string[] }>(true);
  same<typeof outcome.status, "unchanged" | "repaired">(true);
  const json: string = outcome.json;
  void json;
} else {
  same<typeof outcome, Refused>(true);
  same<typeof outcome.value, undefined>(true);
  const issue: Issue | undefined = outcome.issues[0];
  const code: Code | undefined = issue?.code;
  void code;
}
if (outcome.status === "refused") {
  same<typeof outcome.ok, false>(true);
}

same<ReturnType<typeof compile>, Contract<unknown>>(true);
const made = compile(z.object({ n: z.number(), tags: z.array(z.string()).default([]) }));
same<typeof made, Contract<{ n: number; tags?: string[] | undefined }>>(true);

const policy: PolicyName = contract.policy;
const rule: RuleName | undefined = outcome.repairs[0]?.rule;
const status: Status = outcome.status;
void [policy, rule, status];

const rules: Rules = { drop_null: false, apply_default: true };
const tags: Override = { single_item: true, rules: { wrap_in_array: true }, aliases: { none: null }, other: 5n };
void compile(true, {
  rules,
  overrides: { "/tags": tags, "": { keys: { q: "query" } } },
  undeclared: "refuse",
  redact: { keys: true },
});
// @ts-expect-error: no such rule
compile(true, { rules: { drop_nul: true } });
// @ts-expect-error: names are the same in every language
compile(true, { overrides: { "/tags": { singleItem: true } } });
// @ts-expect-error: nothing between
compile(true, { undeclared: "maybe" });
// @ts-expect-error: no such policy
compile(true, { policy: "loose" });
// @ts-expect-error: no such option
compile(true, { polcy: "strict" });
// @ts-expect-error: a number is no schema
compile(5);
// @ts-expect-error: outcomes are read-only
outcome.status = "refused";
// @ts-expect-error: no such code
const wrong: Code = "nope";
void wrong;

const feedback: string = outcome.feedback({ format: "json", maxBytes: 200 });
const path: string = new SchemaError("/a", "b").path;
const hints: string = contract.hints({ maxBytes: 200 }) + contract.fingerprint;
const log: Log = outcome.log();
const logged: Code | undefined = log.issues[0]?.code;
void [feedback, path, hints, logged];

void contract.repair(undefined, { finish: "length" });
contract.free();
