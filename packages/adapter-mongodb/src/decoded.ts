import { BSON, type Document } from 'mongodb'

/** Bytes worth handing over at once. In memory a document is many times larger than as it was sent. */
export const pieceBytes = 64 * 1024

const promoted = { useBigInt64: true, bsonRegExp: true } as const
const kept = { promoteValues: false, promoteLongs: false, bsonRegExp: true } as const

/** The documents as values, a piece at a time. A piece is decoded when it is asked for. */
export function* decoded(stored: readonly Uint8Array[], keepsTypes: boolean): Generator<Document[]> {
  const how = keepsTypes ? kept : promoted
  for (let at = 0; at < stored.length; ) {
    const piece: Document[] = []
    for (let bytes = 0; bytes < pieceBytes && at < stored.length; at++) {
      const document = stored[at] as Uint8Array
      bytes += document.length
      piece.push(BSON.deserialize(document, how))
    }
    yield piece
  }
}
