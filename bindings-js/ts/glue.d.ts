/** What the build makes of the generated JavaScript (scripts/build.mjs): a factory, since an instance can be replaced. */
declare module "toolmend:glue" {
  export interface Glue {
    readonly memory: WebAssembly.Memory;
    reserve(length: number): number;
    compile(length: number, options: string): Made;
    release(contract: number): void;
    hints(contract: number, maxBytes: number): string;
    fingerprint(contract: number): string;
    plain(contract: number, length: number): boolean;
    rules(contract: number): string;
    repair(contract: number, length: number, source: number, keep: boolean): number;
    wire(): string;
    json(): string;
    patch(): string;
    log(): string;
    digest(): string;
    feedback(format: import("./lists.js").FeedbackFormat, maxBytes: number): string;
    definitions(length: number): string;
    unknown(name: string, names: string): void;
    attempts(budget: number, state: string | undefined): string;
    decide(state: string, tool: string, sent: string, turn: string | undefined): string;
    accept(state: string, tool: string, turn: string | undefined): string;
    lists(): string;
  }

  export interface Made {
    readonly id: number;
    readonly policy: import("./lists.js").PolicyName;
    readonly name?: string;
    readonly limits: import("./types.js").Limits;
  }

  export function instantiateSmall(module: WebAssembly.Module): Glue;
  export function instantiateFull(module: WebAssembly.Module): Glue;
  /** The same without blocking. */
  export function startSmall(module: WebAssembly.Module): Promise<Glue>;
  export function startFull(module: WebAssembly.Module): Promise<Glue>;
}

/** Where the bytes come from: one of ts/module-*.ts, as the entry says. */
declare module "toolmend:module" {
  export function small(): WebAssembly.Module;
  export function full(): WebAssembly.Module | undefined;
  export function prepare(full: boolean): Promise<void>;
}

declare module "toolmend:small" {
  const base64: string;
  export default base64;
}

declare module "toolmend:full" {
  export const base64: string;
}

declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
