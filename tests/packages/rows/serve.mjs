// A folder as a site of static files, with a page that loads page.js of it.

import { createReadStream, existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";

const TYPES = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".wasm": "application/wasm",
};

/** Gives the address of the page, and how to stop. A page that is there already is left as it is. */
export async function serve(folder, head = "") {
  const page = join(folder, "index.html");
  if (!existsSync(page)) {
    writeFileSync(page, `<!doctype html><title>toolmend</title>${head}<script type="module" src="./page.js"></script>`);
  }
  const server = createServer(({ url }, response) => {
    const path = join(folder, url === "/" ? "index.html" : new URL(url, "http://site").pathname);
    if (!existsSync(path)) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": TYPES[extname(path)] ?? "application/octet-stream" });
    createReadStream(path).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}/`, close };
}
