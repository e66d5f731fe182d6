/** The chunks as an asynchronous iterable, as writers give them. */
export async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** All bytes of an asynchronous iterable. */
export const bytesOf = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> => {
  const read: Uint8Array[] = []
  for await (const chunk of chunks) read.push(Uint8Array.from(chunk))
  return Buffer.concat(read)
}

/** Bytes that differ from place to place, the same in every run. */
export const patternOf = (length: number, salt = 0): Uint8Array => {
  const bytes = new Uint8Array(length)
  for (let index = 0; index < length; index += 1) bytes[index] = (index * 31 + (index >> 8) * 17 + salt) % 251
  return bytes
}
