// By `require`, in Node.

const toolmend = require("toolmend");

import("./check.mjs").then(({ checkAtOnce }) => checkAtOnce(toolmend));
