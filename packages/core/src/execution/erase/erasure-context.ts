import { createHash, hkdfSync } from 'node:crypto'
import type { Row } from '../../ports/connector.js'
import { masker } from '../../rules/erase/masker.js'
import { type NotText, type RowDecision, rowEraser } from '../../rules/erase/row-eraser.js'
import type { Plan, PlannedCollection, PlannedErasure, PlannedMask } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import { ownColumns } from '../../rules/plan/spelled-column.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { type FoundRow, foundRows, readFoundRows } from '../find/found-rows.js'
import type { KnownIdentities } from '../find/identity-matcher.js'
import type { AskedKeys, CollectionOutcome } from '../find/run-component.js'
import type { SpoolRoom } from '../find/spool.js'
import { readUnmatchedKeys, unmatchedKeys } from '../find/unmatched-keys.js'
import type { AskToErase } from '../manual/ask-to-erase.js'
import type { Lease } from '../run/hold-lease.js'
import type { RequestProgress } from '../run/request-progress.js'

/** A planned collection of which something is erased. */
export type CollectionToErase = PlannedCollection & { readonly erasure: PlannedErasure }

/** What an erasure works with, once all rows were found and are durable. */
export interface ErasureContext {
  readonly requestId: string
  readonly plan: Plan
  readonly byAddress: ReadonlyMap<string, PlannedCollection>
  readonly outcomes: ReadonlyMap<string, CollectionOutcome>
  /** What the person is known by. */
  readonly identities: Omit<KnownIdentities, 'learnable'>
  /** By which keys a collection was searched. */
  readonly asked: (address: string) => readonly AskedKeys[]
  readonly pointers: ErasedPointers
  readonly room: SpoolRoom
  /** Names of blobs that go when the request is complete. */
  readonly spoolKey: (name: string) => string
  /** Where the run that began to write has its notes. */
  readonly notesIn: string
  readonly lease: Lease
  readonly connection: (key: string, address: string) => Promise<OpenConnection>
  /** Has a person erase rows that no connector reaches. */
  readonly askToErase: AskToErase
  /** 32 bytes that only this request knows: masked values are derived from it. */
  readonly secret: Uint8Array
  /** When the request was first run: what is due then is due on every attempt. */
  readonly now: string
  readonly clock: () => Date
  readonly progress: RequestProgress
  /** Takes how many rows were found, for whoever looks at the plan. */
  readonly planned: (found: NonNullable<Plan['found']>) => Promise<void>
  /** Why it has to stop: somebody wants it no more, or a legal hold was made. Asked between batches. */
  readonly stops: () => 'cancel' | 'hold' | undefined
}

/** The secret that masked values of a request are derived from. */
export function maskingSecret(dataKey: Uint8Array): Uint8Array {
  return Buffer.from(hkdfSync('sha256', dataKey, '', 'masking', 32))
}

export function collectionsToErase({ plan }: Pick<ErasureContext, 'plan'>): CollectionToErase[] {
  return plan.collections.filter((collection): collection is CollectionToErase => collection.erasure !== undefined)
}

/** The rows of a collection as they were found, in an order that stays, as many at a time as come together. */
export function foundRowsOf(
  { outcomes, room }: Pick<ErasureContext, 'outcomes' | 'room'>,
  address: string,
): AsyncIterable<readonly FoundRow[]> {
  const foundRow = outcomes.get(address)?.spools.find((spool) => spool.rule === foundRows)?.spooled
  return foundRow && foundRow.rows > 0 ? readFoundRows(room.read(foundRow)) : nothing()
}

/** The own keys by which no row of a collection was found, each with its slot. */
export function unmatchedKeysOf({ outcomes, room }: Pick<ErasureContext, 'outcomes' | 'room'>, address: string) {
  const unmatched = outcomes.get(address)?.spools.find((spool) => spool.rule === unmatchedKeys)?.spooled
  return unmatched && unmatched.rows > 0 ? readUnmatchedKeys(room.read(unmatched)) : nothing()
}

async function* nothing(): AsyncIterable<never> {}

/** Another text where other rows were found, or something else is to become of them. */
export function erasureSignature(
  { outcomes }: Pick<ErasureContext, 'outcomes'>,
  collection: CollectionToErase,
): string {
  const found = outcomes.get(collection.address)
  return createHash('sha256')
    .update(JSON.stringify([found?.foundId, collection.columns, collection.entries, collection.erasure]))
    .digest('base64url')
}

/** A kept row, and what is to become of it. */
export interface DecidedRow {
  readonly foundRow: FoundRow
  readonly decision: RowDecision
}

/** The kept rows of a collection with their fates, as many at a time as come together. */
export async function* decidedRows(
  context: Pick<ErasureContext, 'outcomes' | 'room' | 'secret' | 'now'>,
  collection: CollectionToErase,
  shared: ReadonlyMap<number, string> | undefined,
  notText?: (found: NotText) => void,
): AsyncIterable<readonly DecidedRow[]> {
  const decisionOf = eraserOf(context, collection, notText)
  for await (const rows of foundRowsOf(context, collection.address)) {
    yield rows.map((foundRow) => {
      const decision = decisionOf({ row: foundRow.row, leftOut: foundRow.leftOut, shared: shared?.get(foundRow.place) })
      return { foundRow, decision }
    })
  }
}

/** The columns that name a row: those of its key, or all that were read where none is known. */
export function namingColumns({ erasure, columns }: PlannedCollection): readonly string[] {
  return erasure && erasure.key.length > 0 ? erasure.key.map(({ column }) => column) : ownColumns(columns)
}

/** A row as it is once its fate has come true. */
export function afterwards({ columns }: Pick<PlannedCollection, 'columns'>, row: Row, decision: RowDecision): Row {
  if (decision.kind !== 'mask') return row
  const now = [...row]
  for (const { column, becomes } of decision.changes) now[columns.indexOf(column)] = becomes
  return now
}

/** Decides what becomes of each row of a collection. */
export function eraserOf(
  { secret, now }: Pick<ErasureContext, 'secret' | 'now'>,
  collection: CollectionToErase,
  notText?: (found: NotText) => void,
) {
  return rowEraser(collection, {
    masker: ({ strategy, maxLength }: PlannedMask) =>
      masker(strategy, { secret, ...(maxLength !== undefined && { maxLength }) }),
    now,
    ...(notText && { notText }),
  })
}

/** A found row with what is to become of it. */
export interface RowToErase extends DecidedRow {
  /** How many rows it stands for; 0 where an equal one before it stands for it. Default: 1. */
  readonly copies?: number
  /** So many rows, this one first, point to one another and have to go together. */
  readonly together?: number
}

/**
 * Rows of people who were erased before, which still point to what others had a share in. Of two who lived at one address the
 * second would otherwise keep it for ever, shared with whoever went first. They are known by keyed hashes.
 */
export interface ErasedPointers {
  /** Rows of `from` that point by these fields to rows of `into`, read with `columns`: with those of `leftNamesOf`, among others. */
  of(
    from: PlannedCollection,
    fields: readonly PlannedField[],
    into: PlannedCollection,
    columns: readonly string[],
  ): {
    /** A keyed hash of what a row is known by once it is written, and of what is erased where it points to. */
    name(row: Row): Promise<string>
    /** Those of the rows that an earlier erasure has left. */
    among(rows: readonly Row[]): Promise<ReadonlySet<Row>>
  }
  /** Whether one has left any there. */
  any(from: PlannedCollection): Promise<boolean>
}
