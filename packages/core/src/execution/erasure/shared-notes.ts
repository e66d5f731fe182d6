import { createHash } from 'node:crypto'
import type { PlannedCollection } from '../../rules/plan.js'
import { type KeySet, keySet } from '../key-set.js'
import { type ErasureContext, keptRowsOf, namingColumns } from './erased-collection.js'
import { keyText } from './key-text.js'
import { type SharedRows, type SharingCollection, sharingCollections } from './sharing-collection.js'

/** What was known, before anything was written, of rows that others may share, by the keys of these rows. */
export interface SharedNotes {
  /** Why a row stays; null where it does not have to; undefined where nobody has looked at it then. */
  reason(key: string): string | null | undefined
}

/** The name of a row in the notes. */
export function noteKey(collection: PlannedCollection, row: readonly unknown[]): string {
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
  const blobOf = ({ collection: { address } }: SharingCollection) => `${notesIn}/${address}/~shared`
  return {
    async write(shared: SharedRows): Promise<void> {
      for (const sharing of sharingCollections(context)) {
        if (sharing.pointedToBy.length === 0) continue
        const { collection } = sharing
        await room.write(blobOf(sharing), noteLines(context, collection, shared.get(collection.address)))
      }
    },
    async read(collection: SharingCollection): Promise<SharedNotes> {
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
  collection: PlannedCollection,
  shared: ReadonlyMap<number, string> | undefined,
): AsyncIterable<Uint8Array> {
  let lines: string[] = []
  for await (const rows of keptRowsOf(context, collection.address)) {
    for (const kept of rows) {
      if (kept.own) continue
      lines.push(JSON.stringify([noteKey(collection, kept.row), shared?.get(kept.place) ?? null]))
      if (lines.length < linesAtOnce) continue
      yield Buffer.from(`${lines.join('\n')}\n`)
      lines = []
    }
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
