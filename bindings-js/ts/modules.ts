/**
 * The two modules. The small one holds everything but the full validator, and does for nearly every tool. The full one is
 * loaded when a schema needs it: at once where the entry can, and otherwise by `ready({ full: true })`.
 */

import { instantiateFull, instantiateSmall } from "toolmend:glue";
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
  const made = new Instance(size === "small" ? instantiateSmall(source.small()) : instantiateFull(full()));
  current[size] = made;
  return made;
}

/** Loads without blocking. */
export async function prepare(full: boolean): Promise<void> {
  await source.prepare(full);
}

function full(): WebAssembly.Module {
  const module = source.full();
  if (module === undefined) {
    throw new NotReadyError();
  }
  return module;
}
