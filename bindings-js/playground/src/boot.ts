/** What the page loads first: the engine's worker makes its module ready while the page itself is still on its way. */

import "./engine.js";

void import("./main.js");
