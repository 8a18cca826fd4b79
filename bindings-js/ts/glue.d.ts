/** What the build makes of the generated JavaScript (scripts/build.mjs): a factory, since an instance can be replaced. */
declare module "toolmend:glue" {
  export interface Glue {
    readonly memory: WebAssembly.Memory;
    reserve(length: number): number;
    compile(length: number, options: string): Made;
    release(contract: number): void;
    hints(contract: number, maxBytes: number): string;
    rules(contract: number): string;
    repair(contract: number, length: number, source: number, keep: boolean): number;
    wire(): string;
    json(): string;
    patch(): string;
    log(): string;
    feedback(format: import("./lists.js").FeedbackFormat, maxBytes: number): string;
    lists(): string;
  }

  export interface Made {
    readonly id: number;
    readonly policy: import("./lists.js").PolicyName;
    readonly name?: string;
    readonly limits: import("./types.js").Limits;
    readonly fingerprint: string;
  }

  export function instantiate(module: WebAssembly.Module): Glue;
}

/** Where the bytes come from: ts/module-inline.ts or ts/module-workerd.ts, as the entry says. */
declare module "toolmend:module" {
  export function load(): WebAssembly.Module;
  export function prepare(): Promise<void>;
}

declare module "toolmend:base64" {
  const base64: string;
  export default base64;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
