// A contract can be held by `using`, where the caller's `lib` knows it.

import { compile } from "toolmend";

using contract = compile(true);
void contract.repair("{}");
