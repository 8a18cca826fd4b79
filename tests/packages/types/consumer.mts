// Compiled, never run: the types of every entry, by `import`. What must not be allowed shows that they are not `any`.

import { type Contract, compile, NotReadyError, type Outcome, ready } from "toolmend";
import { compile as edge } from "toolmend/edge";
import { compile as full } from "toolmend/full";
import { compile as inline } from "toolmend/inline";
import { compile as workerd } from "toolmend/workerd";

const contracts: Contract<{ names: string[] }>[] = [compile, edge, full, inline, workerd].map((one) => one({}));
const outcome: Outcome<{ names: string[] }> | undefined = contracts[0]?.repair("{}");
if (outcome?.ok) {
  const names: string[] = outcome.value.names;
  void names;
}
const loaded: Promise<void> = ready({ full: true });
// @ts-expect-error: there is no such policy.
compile({}, { policy: "guess" });
void [loaded, NotReadyError];
