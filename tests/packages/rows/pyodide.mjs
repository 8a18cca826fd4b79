// The wheel in Pyodide, CPython in WebAssembly: `node rows/pyodide.mjs WHEEL CHECK`. The wheel is of machine code for another
// system, so what comes of it is the reason that Pyodide gives.

import { readFileSync } from "node:fs";

import { loadPyodide } from "pyodide";

const [wheel, check] = process.argv.slice(2);
const pyodide = await loadPyodide();
try {
  await pyodide.loadPackage(wheel, { messageCallback: () => {}, errorCallback: () => {} });
  pyodide.runPython(readFileSync(check, "utf8"));
} catch (error) {
  // Its stack has a line of a megabyte.
  console.error(String(error.message).trim());
  process.exitCode = 1;
}
