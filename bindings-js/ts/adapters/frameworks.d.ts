/**
 * What the adapters use of each framework. The frameworks are not installed where this package is built; a test compiles
 * the adapters' types against the real ones (test-agents/types).
 */

/** What the build makes of each: the framework, or an error that says what to install (scripts/build.mjs). */
declare module "toolmend:framework/ai" {
  export const framework: {
    asSchema(schema: unknown): {
      readonly jsonSchema: unknown;
      readonly validate?: (value: unknown) => unknown;
    };
    jsonSchema(schema: unknown, options: { validate(value: unknown): unknown }): unknown;
  };
}

declare module "toolmend:framework/langchain" {
  export const framework: typeof import("langchain");
}

declare module "toolmend:framework/@opentelemetry/api" {
  export const framework: typeof import("@opentelemetry/api");
}

declare module "langchain" {
  export interface ToolCall {
    readonly name: string;
    readonly args: Record<string, unknown>;
    readonly id?: string | undefined;
    readonly type?: "tool_call";
  }
  export interface InvalidToolCall {
    readonly name?: string | undefined;
    readonly args?: string | undefined;
    readonly id?: string | undefined;
    readonly type?: "invalid_tool_call";
  }
  export interface Kwargs {
    readonly [key: string]: unknown;
    readonly tool_calls?: unknown;
  }
  export interface Metadata {
    readonly [key: string]: unknown;
    readonly toolmend?: unknown;
  }
  export interface MessageFields {
    content: unknown;
    id?: string | undefined;
    name?: string | undefined;
    tool_calls?: ToolCall[];
    invalid_tool_calls?: InvalidToolCall[];
    usage_metadata?: unknown;
    additional_kwargs: Kwargs;
    response_metadata: Metadata;
  }
  export class AIMessage {
    constructor(fields: MessageFields);
    static isInstance(value: unknown): value is AIMessage;
    readonly content: unknown;
    readonly id?: string;
    readonly name?: string;
    readonly usage_metadata?: unknown;
    readonly tool_calls?: ToolCall[];
    readonly invalid_tool_calls?: InvalidToolCall[];
    /** Of a reply that was read as a stream. */
    readonly tool_call_chunks?: readonly { readonly id?: string; readonly name?: string; readonly args?: string }[];
    readonly additional_kwargs: Kwargs;
    readonly response_metadata: Metadata;
  }
  export class ToolMessage {
    constructor(fields: { content: string; tool_call_id: string; name: string; status: "error" });
  }
  export interface AgentMiddleware {
    readonly name: string;
  }
  interface Request {
    readonly toolCall: ToolCall;
    readonly state: { readonly messages: readonly unknown[] };
  }
  export function createMiddleware(middleware: {
    name: string;
    afterModel(state: { readonly messages: readonly unknown[] }): unknown;
    wrapModelCall(request: object, handler: (request: object) => unknown): unknown;
    wrapToolCall(request: Request, handler: (request: Request) => unknown): unknown;
  }): AgentMiddleware;
}

declare module "@opentelemetry/api" {
  export type Attributes = Record<string, string | number | readonly string[]>;
  export interface Counter {
    add(value: number, attributes: Attributes): void;
  }
  export interface Meter {
    createCounter(name: string, options: { unit: string; description: string }): Counter;
  }
  export interface MeterProvider {
    getMeter(name: string): Meter;
  }
  export const metrics: MeterProvider;
  export const trace: {
    getActiveSpan():
      | {
          isRecording(): boolean;
          setAttribute(name: string, value: string): void;
          addEvent(name: string, attributes: Attributes): void;
        }
      | undefined;
  };
}
