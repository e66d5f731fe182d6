/** Long texts put together of many pieces are slow to encode. */
const pieceCharacters = 16 * 1024

/** UTF-8 of a text that is written piece by piece. */
export async function* textBytes(pieces: AsyncIterable<string>): AsyncIterable<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

/** Collects written texts and passes them on in pieces of a size that is quick to encode. */
export function pieceWriter() {
  let text = ''
  return {
    write(more: string) {
      text += more
    },
    get full() {
      return text.length >= pieceCharacters
    },
    take(): string {
      const piece = text
      text = ''
      return piece
    },
  }
}
