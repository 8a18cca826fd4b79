// The packages are linked to from elsewhere.
export default { turbopack: { root: "/" }, outputFileTracingRoot: "/" };
