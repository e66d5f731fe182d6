/** Yields the same bytes in chunks of one size. The last one may be shorter or empty. Each chunk is a copy of its own. */
export async function* evenChunks(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafeSlow(size)
  let filled = 0
  for await (const part of bytes) {
    for (let taken = 0; taken < part.length; ) {
      // Only when more bytes come is it certain that a full chunk is not the last one.
      if (filled === size) {
        yield chunk
        chunk = Buffer.allocUnsafeSlow(size)
        filled = 0
      }
      const length = Math.min(size - filled, part.length - taken)
      chunk.set(part.subarray(taken, taken + length), filled)
      filled += length
      taken += length
    }
  }
  yield chunk.subarray(0, filled)
}
