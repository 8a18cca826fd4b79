/** What the page may do, as its Content-Security-Policy: load its own files, and speak to nobody. */

const ALLOWED = [
  "default-src 'none'",
  // WebAssembly is compiled; `eval` of JavaScript stays forbidden.
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "worker-src 'self'",
  // What is pasted stays: no request can carry it away, not even to the page's own server.
  "connect-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
];

/** For the `meta` element, which every static host serves. */
export const META_CSP = ALLOWED.join("; ");

/** For the header of a server that can set one. Who may frame the page can be said only there. */
export const HEADERS = {
  "Content-Security-Policy": `${META_CSP}; frame-ancestors 'none'`,
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Opener-Policy": "same-origin",
};
