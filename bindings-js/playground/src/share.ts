/** The whole state in a URL's fragment, which browsers send to nobody. */

import { deflateSync, Inflate, strFromU8, strToU8 } from "fflate";

import { readState, type State } from "./state.js";

const PREFIX = "#s=";
/** No state that a person shares is longer; a crafted link could unpack to anything. */
const LONGEST = 8 << 20;
const STEP = 1 << 14;

export function toFragment(state: State): string {
  const packed = deflateSync(strToU8(JSON.stringify(state)), { level: 9 });
  const base64 = btoa(strFromU8(packed, true));
  return PREFIX + base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** The state of a fragment; nothing where there is none, and an error where it is not whole. */
export function fromFragment(fragment: string): State | undefined {
  if (!fragment.startsWith(PREFIX)) {
    return undefined;
  }
  try {
    const base64 = fragment.slice(PREFIX.length).replaceAll("-", "+").replaceAll("_", "/");
    const state = readState(JSON.parse(strFromU8(inflated(strToU8(atob(base64), true)))));
    if (state !== undefined) {
      return state;
    }
  } catch {
    // Said below.
  }
  throw new Error("The link is not whole: it may have been cut on its way.");
}

function inflated(packed: Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const inflate = new Inflate((chunk) => {
    length += chunk.length;
    if (length > LONGEST) {
      throw new RangeError("too long");
    }
    chunks.push(chunk);
  });
  for (let start = 0; start < packed.length; start += STEP) {
    inflate.push(packed.subarray(start, start + STEP), start + STEP >= packed.length);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}
