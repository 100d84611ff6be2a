// Compresses text for an address, and decompresses it.

const LARGEST = 400_000; // characters: a link may hold a decompression bomb

/** Return `text`, deflated, as URL-safe base64. */
export async function deflated(text) {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(packed).arrayBuffer());
  const letters = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Return the text that `deflated` packed. Throws if the letters are invalid or the text is too long. */
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
