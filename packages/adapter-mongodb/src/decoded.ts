import type { Document } from 'mongodb'
import { decodedDocument } from './decoded-document.js'

/** Bytes worth handing over at once. In memory a document is many times larger than as it was sent. */
export const pieceBytes = 64 * 1024

/** The documents as values, a piece at a time. A piece is decoded when it is asked for. */
export function* decoded(stored: readonly Uint8Array[], keepsTypes: boolean): Generator<Document[]> {
  for (let at = 0; at < stored.length; ) {
    const piece: Document[] = []
    for (let bytes = 0; bytes < pieceBytes && at < stored.length; at++) {
      const document = stored[at] as Uint8Array
      bytes += document.length
      piece.push(decodedDocument(document, keepsTypes))
    }
    yield piece
  }
}
