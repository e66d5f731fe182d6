/** The same bytes in chunks of one size, the last of which may be shorter or empty. Each is a copy of its own. */
export async function* evenChunks(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafeSlow(size)
  let filled = 0
  for await (const part of bytes) {
    for (let taken = 0; taken < part.length; ) {
      // Only once more has come is it certain that a full one is not the last.
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
