/**
 * Model Context Protocol: lenient in, strict inside, in a server and in a client.
 *
 * A call that is refused does not run (in a client: is not sent): its result has `isError` and holds the feedback. Nothing
 * of an SDK is imported: whatever has its interfaces will do.
 *
 * @module
 */

import type { Decision } from "toolmend";
import { Listed, type MendOptions, type Result } from "./mcp-tools.js";

export type { MendOptions } from "./shared.js";

type Id = string | number;

/** A message of JSON-RPC: a request, a notification, or an answer. */
interface Message {
  readonly id?: Id;
  readonly method?: string;
  readonly params?: {
    readonly [key: string]: unknown;
    readonly name?: unknown;
    readonly arguments?: unknown;
    readonly requestId?: unknown;
  };
  readonly result?: Result;
  readonly error?: unknown;
}

/** What of a `Transport` is used. */
interface Transport {
  send(message: never, options?: never): Promise<void>;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
}

/**
 * The transport of a server with the boundary in it: `await server.connect(mendTransport(transport))`. The schemas are those
 * that the server lists. Attempts are counted for each connection, since a server knows nothing of the runs of an agent.
 *
 * What was given still is the transport: an HTTP request is handed to that one.
 */
export function mendTransport<T extends Transport>(transport: T, options: MendOptions = {}): T {
  return new ServerSide(transport, options).proxy as T;
}

/** What of a `Client` is used. */
interface Client {
  callTool(params: never, ...rest: never[]): Promise<unknown>;
  listTools(params?: never): Promise<{ readonly tools: readonly object[]; readonly nextCursor?: string | undefined }>;
}

/**
 * A client whose `callTool` repairs the arguments before the call is sent, and checks the result against the tool's output
 * schema. Arguments may be the raw text of the model. All else is the client's own.
 */
export function mendClient<C extends Client>(client: C, options: MendOptions = {}): MendedClient<C> {
  const calls = new ClientSide(client, options);
  return new Proxy(client, {
    get(target, key) {
      if (key === "callTool") {
        return calls.callTool;
      }
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  }) as unknown as MendedClient<C>;
}

/** A client as `mendClient` gives it. */
export type MendedClient<C extends Client> = Omit<C, "callTool"> & {
  callTool(
    params: Omit<Parameters<C["callTool"]>[0], "arguments"> & {
      readonly name: string;
      readonly arguments?: string | { readonly [key: string]: unknown };
    },
    ...rest: Parameters<C["callTool"]> extends [unknown, ...infer Rest] ? Rest : never
  ): ReturnType<C["callTool"]>;
};

/** What a model is told of a call that did not run. */
function refusal(decision: Decision): Result {
  return { content: [{ type: "text", text: decision.message ?? "" }], isError: true };
}

/** Between the transport and the server: calls come in, results go out. */
class ServerSide {
  readonly proxy: Transport;
  readonly #inner: Transport;
  readonly #tools: Listed;
  /** The handler that the server has set. */
  #onmessage: ((message: Message, extra?: unknown) => void) | undefined;
  /** Lists that we have asked the server for, by the id of the request. */
  readonly #asked = new Map<Id, (answer: Message) => void>();
  /** Calls that have no answer yet, by the id of the request. */
  readonly #running = new Map<Id, { readonly name: string }>();

  constructor(inner: Transport, options: MendOptions) {
    this.#inner = inner;
    this.#tools = new Listed((cursor) => this.#list(cursor), options);
    this.proxy = new Proxy(inner, {
      get: (target, key) => {
        if (key === "send") {
          return this.#send;
        }
        if (key === "onmessage") {
          return this.#onmessage;
        }
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
      set: (target, key, value) => {
        if (key === "onmessage") {
          this.#onmessage = value;
          return Reflect.set(target, key, this.#receive, target);
        }
        return Reflect.set(target, key, value, target);
      },
    });
  }

  readonly #receive = (message: Message, extra?: unknown): void => {
    const { id, method, params } = message;
    if (method === "notifications/cancelled") {
      this.#running.delete(params?.requestId as Id);
    }
    if (method !== undefined && id !== undefined && this.#running.has(id)) {
      // The answers could not be told apart.
      void this.#fail(id, -32600, `a request with the id ${JSON.stringify(id)} has no answer yet`);
      return;
    }
    if (method !== "tools/call" || id === undefined || typeof params?.name !== "string") {
      this.#onmessage?.(message, extra);
      return;
    }
    void this.#call(message, id, params.name, params.arguments, extra);
  };

  async #call(message: Message, id: Id, name: string, args: unknown, extra: unknown): Promise<void> {
    const call = { name };
    this.#running.set(id, call);
    const isRunning = () => this.#running.get(id) === call;
    try {
      const decision = await this.#tools.decide(name, args, { id, extra });
      if (!isRunning()) {
        return;
      }
      if (decision !== undefined && decision.action !== "run") {
        this.#running.delete(id);
        await this.#own({ jsonrpc: "2.0", id, result: refusal(decision) });
        return;
      }
      const mended =
        decision === undefined ? message : { ...message, params: { ...message.params, arguments: decision.value } };
      this.#onmessage?.(mended, extra);
    } catch (error) {
      // A guard's own error, or a list that the server does not give.
      if (isRunning()) {
        this.#running.delete(id);
        await this.#fail(id, -32603, error instanceof Error ? error.message : String(error));
      }
    }
  }

  #fail(id: Id, code: number, message: string): Promise<void> {
    return this.#own({ jsonrpc: "2.0", id, error: { code, message } });
  }

  /** An answer of our own, which nobody waits for: the connection may be gone. */
  async #own(message: object): Promise<void> {
    try {
      await this.#reply(message);
    } catch (error) {
      this.#inner.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  readonly #send = async (message: Message, options?: unknown): Promise<void> => {
    const { id, method, result } = message;
    if (method === "notifications/tools/list_changed") {
      this.#tools.forget();
    }
    const asked = id === undefined || method !== undefined ? undefined : this.#asked.get(id);
    if (asked !== undefined && id !== undefined) {
      this.#asked.delete(id);
      asked(message);
      return;
    }
    const call = id === undefined || method !== undefined ? undefined : this.#running.get(id);
    if (call === undefined || id === undefined) {
      await this.#reply(message, options);
      return;
    }
    this.#running.delete(id);
    await this.#reply(
      result === undefined ? message : { ...message, result: this.#tools.checked(call.name, result) },
      options,
    );
  };

  #reply(message: object, options?: unknown): Promise<void> {
    return this.#inner.send(message as never, options as never);
  }

  /** Asks the server for its tools, as a client would. */
  #list(cursor: string | undefined): Promise<Result> {
    // No client can know it, and give it to a request of its own.
    const id = `toolmend-${crypto.randomUUID()}`;
    const params = cursor === undefined ? {} : { cursor };
    return new Promise((resolve, reject) => {
      this.#asked.set(id, ({ result, error }) => {
        if (result === undefined) {
          reject(new Error(`the server lists no tools: ${(error as { message?: string } | undefined)?.message}`));
        } else {
          resolve(result);
        }
      });
      this.#onmessage?.({ jsonrpc: "2.0", id, method: "tools/list", params } as Message, this.#tools.extra);
    });
  }
}

/** Before a client: calls go out, results come in. */
class ClientSide {
  readonly #client: Client;
  readonly #tools: Listed;

  constructor(client: Client, options: MendOptions) {
    this.#client = client;
    this.#tools = new Listed(
      async (cursor) => (await client.listTools((cursor === undefined ? undefined : { cursor }) as never)) as Result,
      options,
    );
  }

  readonly callTool = async (
    params: { readonly name: string; readonly arguments?: unknown },
    ...rest: readonly never[]
  ): Promise<unknown> => {
    const { name } = params;
    const decision = await this.#tools.decide(name, params.arguments, {});
    if (decision !== undefined && decision.action !== "run") {
      return refusal(decision);
    }
    const sent = decision === undefined ? params : { ...params, arguments: decision.value };
    return this.#tools.checked(name, (await this.#client.callTool(sent as never, ...rest)) as Result);
  };
}
