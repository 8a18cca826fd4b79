// The same by `require`, for the entries that have it.

import toolmend = require("toolmend");
import full = require("toolmend/full");
import inline = require("toolmend/inline");

const contracts: toolmend.Contract[] = [toolmend, full, inline].map(({ compile }) => compile({}));
// @ts-expect-error: there is no such policy.
toolmend.compile({}, { policy: "guess" });
void contracts;
