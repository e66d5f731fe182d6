import type { ClientSession, Db, Document } from 'mongodb'
import { isPlain, member } from './field-expression.js'

/** Streams the documents that meet a filter, with these columns alone. */
export type Find = (filter: Document, columns: readonly string[]) => AsyncIterable<Document>

/** What is read: documents that meet a filter, with these columns. */
export interface StreamedRead {
  readonly collection: string
  readonly filter: Document
  readonly columns: readonly string[]
  readonly maxTimeMS: number
  /** How many documents are likely to be found, where that is known. */
  readonly expected?: number | undefined
  readonly collated: boolean
}

/** The session of a transaction, and how BSON is decoded. */
export interface StreamOptions {
  readonly signal: AbortSignal
  readonly session?: ClientSession | undefined
  /** True where numbers must keep their BSON type. */
  readonly raw?: boolean
}

const firstRows = 100
const mostRows = 10_000
/** Bytes worth fetching at once, and worth handing over at once. */
const batchBytes = 1024 * 1024

const promoted = { useBigInt64: true, bsonRegExp: true } as const
const kept = { promoteValues: false, promoteLongs: false, bsonRegExp: true } as const

/**
 * The documents in batches sized by bytes. Each has its columns as members of these names. The next batch is fetched while
 * one is processed. The cursor ends with the reader, or with the signal.
 */
export async function* documentBatches(
  db: Db,
  read: StreamedRead,
  { signal, session, raw = false }: StreamOptions,
): AsyncGenerator<Document[]> {
  signal.throwIfAborted()
  const { command, rename } = commandOf(read)
  const cursor = db.runCursorCommand(command, { ...(raw ? kept : promoted), ...(session && { session }) })
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
      signal.throwIfAborted()
      let [rows, bytes] = [0, 0]
      for (;;) {
        const batch: Document[] = []
        let size = 0
        while (size < batchBytes) {
          const [document] = cursor.readBufferedDocuments(1)
          if (!document) break
          size += sizeOf(document)
          batch.push(rename(document))
        }
        if (batch.length === 0) break
        rows += batch.length
        bytes += size
        if (cursor.bufferedCount() > 0) {
          yield batch
          continue
        }
        cursor.setBatchSize(Math.min(mostRows, Math.max(1, Math.round((batchBytes * rows) / bytes))))
        ahead = more()
        yield batch
        break
      }
    }
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', end)
    await cursor.close().catch(() => {})
  }
}

function commandOf({ collection, filter, columns, maxTimeMS, collated, expected = 0 }: StreamedRead): {
  command: Document
  rename: (document: Document) => Document
} {
  const batchSize = Math.min(mostRows, Math.max(firstRows, expected))
  const common = { maxTimeMS, ...(collated && { collation: { locale: 'simple' } }) }
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

/** Bytes, roughly. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 8
  if (typeof value !== 'object' || value === null) return 8
  if (Array.isArray(value)) return value.reduce<number>((sum, element) => sum + sizeOf(element), 8)
  if (Object.getPrototypeOf(value) === Object.prototype) {
    let bytes = 8
    for (const name in value) bytes += name.length + sizeOf((value as Document)[name])
    return bytes
  }
  return 'byteLength' in value
    ? Number(value.byteLength)
    : 'length' in value && typeof value.length === 'function'
      ? Number(value.length()) + 8
      : 16
}
