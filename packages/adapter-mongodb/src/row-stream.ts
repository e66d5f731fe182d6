import type { ClientSession, Db, Document } from 'mongodb'
import { decoded } from './decoded.js'
import { isPlain, member } from './field-expression.js'

/** Streams the documents that meet a filter, with these columns alone. Texts are equal as the collection compares them. */
export type Find = (filter: Document, columns: readonly string[], exactly?: boolean) => AsyncIterable<Document>

/** What is read: documents that meet a filter, with these columns. */
export interface StreamedRead {
  readonly collection: string
  readonly filter: Document
  readonly columns: readonly string[]
  readonly maxTimeMS: number
  /** How many documents are likely to be found, where that is known. */
  readonly expected?: number | undefined
  /** Set where texts that differ must not be taken for equal, whatever the collection takes for equal. */
  readonly exactly?: boolean | undefined
}

/** The session of a transaction, and how BSON is decoded. */
export interface StreamOptions {
  readonly signal: AbortSignal
  readonly session?: ClientSession | undefined
  /** True where numbers must keep their BSON type. */
  readonly keepsTypes?: boolean
}

const firstRows = 100
/** The driver holds a kilobyte or two for each document of a batch, however small, until the next one has come. */
const mostRows = 1_000
const mostExpected = 10_000
/** Bytes worth fetching at once. */
const batchBytes = 1024 * 1024

/**
 * The documents in pieces sized by bytes. Each has its columns as members of these names. A batch stays as it was sent until
 * its pieces are asked for, and the next one is fetched meanwhile. The cursor ends with the reader, or with the signal.
 */
export async function* documentBatches(
  db: Db,
  read: StreamedRead,
  { signal, session, keepsTypes = false }: StreamOptions,
): AsyncGenerator<Document[]> {
  signal.throwIfAborted()
  const { command, rename } = commandOf(read)
  const cursor = db.runCursorCommand(command, { raw: true, ...(session && { session }) })
  let reject: (reason: unknown) => void = () => {}
  const ended = new Promise<never>((_resolve, rejected) => {
    reject = rejected
  })
  ended.catch(() => {})
  const end = () => {
    reject(signal.reason)
    cursor.close().catch(() => {})
  }
  signal.addEventListener('abort', end, { once: true })
  const more = () => {
    const pulling = cursor.hasNext()
    pulling.catch(() => {})
    return pulling
  }
  try {
    for (let ahead = more(); await Promise.race([ended, ahead]); ) {
      const stored = cursor.readBufferedDocuments() as unknown as Uint8Array[]
      const bytes = stored.reduce((sum, { length }) => sum + length, 0)
      cursor.setBatchSize(Math.min(mostRows, Math.max(1, Math.round((batchBytes * stored.length) / bytes))))
      ahead = more()
      for (const documents of decoded(stored, keepsTypes)) {
        signal.throwIfAborted()
        yield documents.map(rename)
      }
    }
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', end)
    await cursor.close().catch(() => {})
  }
}

function commandOf({ collection, filter, columns, maxTimeMS, exactly, expected = 0 }: StreamedRead): {
  command: Document
  rename: (document: Document) => Document
} {
  const batchSize = Math.min(mostExpected, Math.max(firstRows, expected))
  const common = { maxTimeMS, ...(exactly && { collation: { locale: 'simple' } }) }
  const hasId = columns.includes('_id')
  if (columns.every(isPlain)) {
    const others = columns.filter((column) => column !== '_id').map((column) => [column, 1])
    const projection = others.length > 0 ? { _id: hasId ? 1 : 0, ...Object.fromEntries(others) } : { _id: 1 }
    const command = { find: collection, filter, projection, batchSize, ...common }
    return { command, rename: (document) => document }
  }
  // the language of `find` has no words for such names
  const aliases = Object.fromEntries(columns.map((column, at) => [`c${at}`, member(column)]))
  const pipeline = [{ $match: filter }, { $project: { _id: 0, ...aliases } }]
  const rename = (document: Document) =>
    Object.fromEntries(columns.flatMap((column, at) => (`c${at}` in document ? [[column, document[`c${at}`]]] : [])))
  return { command: { aggregate: collection, pipeline, cursor: { batchSize }, ...common }, rename }
}
