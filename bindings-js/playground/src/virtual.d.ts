declare module "virtual:gallery" {
  const examples: import("./examples.js").Example[];
  export default examples;
}
