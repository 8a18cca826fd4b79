/** The bytes that base64 text stands for, where there may be no `Buffer`. */
export function decoded(base64: string): Uint8Array<ArrayBuffer> {
  if (typeof Buffer === "function") {
    return new Uint8Array(Buffer.from(base64, "base64"));
  }
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    bytes[index] = text.charCodeAt(index);
  }
  return bytes;
}
