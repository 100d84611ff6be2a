// Text packed small enough for an address, and unpacked again.

const LARGEST = 400_000; // characters: what is packed may be a trap

/** `text`, deflated, in letters that an address takes as they are. */
export async function deflated(text) {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** What was deflated. Throws when that is not what this is, or when it is too much. */
export async function inflated(letters) {
  const bytes = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream());
  let text = "";
  for await (const part of plain) {
    text += part;
    if (text.length > LARGEST) throw new RangeError("too much");
  }
  return text;
}
