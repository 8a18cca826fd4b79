/**
 * The two modules. The small one holds everything but the full validator, and does for nearly every tool. The full one is
 * loaded when a schema needs it: at once where the entry can, and otherwise by `ready({ full: true })`.
 */

import { type Glue, instantiateFull, instantiateSmall, startFull, startSmall } from "toolmend:glue";
import * as source from "toolmend:module";

import { NotReadyError } from "./errors.js";
import { Instance } from "./instance.js";

export type Size = "small" | "full";

const current: { [size in Size]?: Instance } = {};

/** The instance in use: made on first use, and made again after one that trapped. */
export function instance(size: Size): Instance {
  const instance = current[size];
  if (instance !== undefined && !instance.isDead) {
    return instance;
  }
  const made = new Instance(instantiated(size));
  current[size] = made;
  return made;
}

/** Loads without blocking. Where a browser refuses to compile at once it also refuses to instantiate at once. */
export async function prepare(full: boolean): Promise<void> {
  await source.prepare(full);
  await start("small", source.small(), startSmall);
  if (full) {
    const module = source.full();
    if (module === undefined) {
      throw new NotReadyError("full");
    }
    await start("full", module, startFull);
  }
}

async function start(size: Size, module: WebAssembly.Module, make: typeof startSmall): Promise<void> {
  const isThere = () => current[size]?.isDead === false;
  if (isThere()) {
    return;
  }
  const glue = await make(module);
  // Meanwhile a call may have made one.
  if (!isThere()) {
    current[size] = new Instance(glue);
  }
}

function instantiated(size: Size): Glue {
  try {
    if (size === "small") {
      return instantiateSmall(source.small());
    }
    const module = source.full();
    if (module !== undefined) {
      return instantiateFull(module);
    }
  } catch (cause) {
    // How Chromium says it.
    throw cause instanceof RangeError ? new NotReadyError(size, { cause }) : cause;
  }
  throw new NotReadyError(size);
}
