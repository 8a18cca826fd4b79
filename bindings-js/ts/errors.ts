/** A schema or tool definition that cannot be compiled. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
  /** JSON Pointer to the place in the schema or definition. */
  readonly path: string;
  /** What is wrong there. */
  readonly reason: string;

  constructor(path: string, reason: string, options?: ErrorOptions) {
    super(`invalid schema at ${path === "" ? "the schema" : path}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

/** A fault of toolmend itself. The instance that failed is thrown away: the next call starts with a new one. */
export class InternalError extends Error {
  override readonly name = "InternalError";

  constructor(cause: unknown) {
    super("toolmend failed inside: this is a bug, please report it", { cause });
  }
}

/** A module is needed that is not loaded yet, where it cannot be loaded at once. */
export class NotReadyError extends Error {
  override readonly name = "NotReadyError";

  constructor(size: "small" | "full", options?: ErrorOptions) {
    super(
      size === "full"
        ? 'this schema needs the full validator: `await ready({ full: true })` first, or import from "toolmend/full"'
        : "WebAssembly cannot be compiled at once here: `await ready()` first",
      options,
    );
  }
}
