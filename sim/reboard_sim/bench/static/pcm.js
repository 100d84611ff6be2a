// Reads blocks of sound from a stream. A block is a float64 time in s, a uint32 length in bytes, and 16-bit samples.

const HEAD = 12;

/** Yield each block as `{ t, samples }`. The stream may cut the bytes anywhere. */
export async function* blocks(stream) {
  const reader = stream.getReader();
  let rest = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const bytes = new Uint8Array(rest.length + value.length);
    bytes.set(rest);
    bytes.set(value, rest.length);
    const view = new DataView(bytes.buffer);
    let at = 0;
    while (bytes.length - at >= HEAD) {
      const length = view.getUint32(at + 8, true);
      if (bytes.length - at - HEAD < length) break;
      const t = view.getFloat64(at, true);
      const samples = new Float32Array(length / 2);
      for (let i = 0; i < samples.length; i += 1) samples[i] = view.getInt16(at + HEAD + 2 * i, true) / 32768;
      if (samples.length) yield { t, samples };
      at += HEAD + length;
    }
    rest = bytes.subarray(at);
  }
}
