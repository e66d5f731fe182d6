import { createHash } from 'node:crypto'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { keySet } from '../find/key-set.js'
import { rawRowText, readRawRows } from '../find/raw-row-text.js'
import { type FoundContext, foundRowsOf, namingColumns } from './erasure-context.js'
import { keyText } from './key-text.js'
import { type SharedRows, type SharingCollection, sharingCollections } from './sharing-collection.js'

/** What was known before the first write about rows that others may share, by the keys of these rows. */
export interface SharedNotes {
  /** Why a row stays. Null if it does not have to stay, undefined if the row was not known then. */
  reason(key: string): string | null | undefined
}

/** The name of a row in the notes. */
export function noteKey(collection: PlannedCollection, row: readonly unknown[]): string {
  const names = namingColumns(collection)
  const key = names.map((name) => (row[collection.columns.indexOf(name)] ?? null) as never)
  return createHash('sha256').update(keyText(key)).digest('base64url')
}

/**
 * Stores what is known about shared rows as long as the request may run again, encrypted like its rows. Rows that referred
 * to a row may be erased later, so this could not be found out again.
 */
export function sharedNotes(context: FoundContext) {
  const { room, notesIn } = context
  const blobOf = ({ collection: { address } }: SharingCollection) => `${notesIn}/${address}/~shared`
  return {
    async write(shared: SharedRows): Promise<void> {
      for (const sharing of sharingCollections(context)) {
        if (sharing.pointedToBy.length === 0) continue
        const { collection } = sharing
        const blob = blobOf(sharing)
        const spool = room.open(blob)
        for await (const rows of foundRowsOf(context, collection.address)) {
          for (const foundRow of rows) {
            const reason = shared.get(collection.address)?.get(foundRow.place) ?? null
            if (!foundRow.own) spool.append(rawRowText([noteKey(collection, foundRow.row), reason]))
          }
          if (spool.full) await spool.drain()
        }
        await room.persist(blob, await spool.close())
      }
    },
    async read(collection: SharingCollection): Promise<SharedNotes> {
      const blob = blobOf(collection)
      const known = keySet([{ kind: 'string' }])
      const reasons: (string | null)[] = []
      // There are few distinct reasons, so equal ones share one text.
      const alike = new Map<string | null, string | null>()
      for await (const notes of (await room.has(blob)) ? readRawRows(room.readBlob(blob)) : []) {
        for (const [key, reason] of notes as readonly (readonly [string, string | null])[]) {
          if (!alike.has(reason)) alike.set(reason, reason)
          if (known.add(key)) reasons.push(alike.get(reason) ?? null)
        }
      }
      return { reason: (key) => reasons[known.find(key)] }
    },
  }
}
