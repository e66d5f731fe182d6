import { createHash } from 'node:crypto'
import { type KeySet, keySet } from '../key-set.js'
import type { CheckedCollection } from './checked-collection.js'
import { keyText } from './erase-batch.js'
import {
  type ErasedCollection,
  type ErasureContext,
  erasedCollections,
  keptRowsOf,
  namingColumns,
} from './erased-collection.js'

/** What was known of rows that were looked up before anything was written, by the keys of these rows. */
export interface SharedNotes {
  /** Why a row stays; null where it does not have to; undefined where nobody has looked at it then. */
  reason(key: string): string | null | undefined
}

/** The name of a row in the notes. */
export function noteKey(collection: ErasedCollection, row: readonly unknown[]): string {
  const names = namingColumns(collection)
  const key = names.map((name) => (row[collection.columns.indexOf(name)] ?? null) as never)
  return createHash('sha256').update(keyText(key)).digest('base64url')
}

const linesAtOnce = 1_024

/**
 * Keeps what is known of shared rows as long as the request may be run again, encrypted like its rows: whoever pointed
 * to a row may have been erased since, so that afterwards nobody could tell.
 */
export function sharedNotes(context: ErasureContext) {
  const { room, notesIn } = context
  const blobOf = ({ address }: ErasedCollection) => `${notesIn}/${address}/~shared`
  return {
    async write(checked: ReadonlyMap<string, CheckedCollection>): Promise<void> {
      for (const collection of erasedCollections(context)) {
        if (collection.erasure.pointedToBy.length === 0) continue
        await room.write(blobOf(collection), noteLines(context, collection, checked.get(collection.address)))
      }
    },
    async read(collection: ErasedCollection): Promise<SharedNotes> {
      const blob = blobOf(collection)
      const known = keySet([{ kind: 'string' }])
      const reasons: (string | null)[] = []
      if (await room.has(blob)) await readNotes(room.readBlob(blob), known, reasons)
      return { reason: (key) => reasons[known.find(key)] }
    },
  }
}

async function* noteLines(
  context: ErasureContext,
  collection: ErasedCollection,
  checked: CheckedCollection | undefined,
): AsyncIterable<Uint8Array> {
  let lines: string[] = []
  let place = -1
  for await (const kept of keptRowsOf(context, collection.address)) {
    place++
    if (kept.own) continue
    lines.push(JSON.stringify([noteKey(collection, kept.row), checked?.shared.get(place) ?? null]))
    if (lines.length < linesAtOnce) continue
    yield Buffer.from(`${lines.join('\n')}\n`)
    lines = []
  }
  if (lines.length > 0) yield Buffer.from(`${lines.join('\n')}\n`)
}

async function readNotes(bytes: AsyncIterable<Uint8Array>, known: KeySet, reasons: (string | null)[]): Promise<void> {
  const decoder = new TextDecoder()
  // Most rows stay for one of few reasons.
  const alike = new Map<string, string>()
  let text = ''
  for await (const part of bytes) {
    const lines = (text + decoder.decode(part, { stream: true })).split('\n')
    text = lines.pop() as string
    for (const line of lines) {
      const [key, reason] = JSON.parse(line) as [string, string | null]
      if (!known.add(key)) continue
      if (reason !== null && !alike.has(reason)) alike.set(reason, reason)
      reasons.push(reason === null ? null : (alike.get(reason) as string))
    }
  }
}
