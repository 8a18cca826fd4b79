// The same for a CommonJS module.

import toolmend = require("toolmend");
import inline = require("toolmend/inline");

const outcome = toolmend.compile<{ a: string }>({ type: "object" }).repair("{}");
const value: { a: string } | undefined = outcome.value;
void [value, inline.compile(true)];
