import { createHash, hkdfSync } from 'node:crypto'
import type { Fence } from '../../ports/call-options.js'
import type { Row } from '../../ports/connector.js'
import type { ErasureProgressRow } from '../../ports/erasure-rows.js'
import type { Write } from '../../ports/storage.js'
import type { NotText } from '../../rules/erase/mask-within.js'
import { masker } from '../../rules/erase/masker.js'
import { type RowDecision, rowEraser } from '../../rules/erase/row-eraser.js'
import { valueColumns } from '../../rules/erase/value-columns.js'
import type { Plan, PlannedCollection, PlannedErasure, PlannedMask } from '../../rules/plan/plan.js'
import type { PlannedField } from '../../rules/plan/planned-field.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { type FoundRow, foundRows, readFoundRows } from '../find/found-rows.js'
import type { KnownIdentities } from '../find/identity-matcher.js'
import type { AskedKeys, CollectionOutcome } from '../find/run-component.js'
import type { Spooled, SpoolRoom } from '../find/spool.js'
import { readUnmatchedKeys, unmatchedKeys } from '../find/unmatched-keys.js'
import type { AskToErase } from '../manual/ask-to-erase.js'
import type { Lease } from '../run/hold-lease.js'
import type { RequestProgress } from '../run/request-progress.js'

/** A planned collection with rows to erase. */
export type CollectionToErase = PlannedCollection & { readonly erasure: PlannedErasure }

/** What a step needs that reads the found rows. */
export interface FoundContext {
  readonly requestId: string
  readonly plan: Plan
  readonly byAddress: ReadonlyMap<string, PlannedCollection>
  readonly outcomes: ReadonlyMap<string, CollectionOutcome>
  /** The known identities of the subject. */
  readonly identities: Omit<KnownIdentities, 'learnable'>
  /** The keys by which a collection was searched. */
  readonly asked: (address: string) => readonly AskedKeys[]
  readonly room: SpoolRoom
  /** The folder with the notes of the run that began to write. */
  readonly notesIn: string
}

/** What a step needs that decides what becomes of the found rows. It reads no database. */
export interface DecidingContext extends FoundContext {
  /** 32 bytes that only this request knows. Masked values are derived from them. */
  readonly secret: Uint8Array
  /** When the request first ran. Every attempt uses this instant for retention dates, so that it decides the same. */
  readonly now: string
}

/** What a step needs that reads the databases again. It writes to none of them. */
export interface CheckingContext extends DecidingContext {
  readonly lease: Pick<Lease, 'signal'>
  readonly pointers: ErasedPointers
  readonly connection: (key: string, address: string) => Promise<OpenConnection>
}

/** What was stored of the progress of each collection. */
export interface ProgressRows {
  of(address: string): Promise<ErasureProgressRow | undefined>
  keep(row: ErasureProgressRow): Promise<void>
}

/** What a step needs that writes: to the databases, or to the records of the request. */
export interface ErasureContext extends CheckingContext {
  /** Keys of blobs that are deleted when the request is complete. */
  readonly spoolKey: (name: string) => string
  readonly lease: Lease
  readonly stored: ProgressRows
  /** Under it all batches are written. Rejects as well when the erasure has to stop. */
  readonly fence: Fence
  /** Asks people to erase rows that no connector reaches. */
  readonly askToErase: AskToErase
  readonly clock: () => Date
  readonly progress: RequestProgress
  /** Returns the writes that show the number of found rows with the plan. */
  readonly planned: (found: NonNullable<Plan['found']>) => readonly Write[]
  /** Why the erasure has to stop: the request was canceled, or a legal hold was made. Read between batches. */
  readonly stops: () => 'cancel' | 'hold' | undefined
}

/** The secret that masked values of a request are derived from. */
export function maskingSecret(dataKey: Uint8Array): Uint8Array {
  return Buffer.from(hkdfSync('sha256', dataKey, '', 'masking', 32))
}

export function collectionsToErase({ plan }: Pick<ErasureContext, 'plan'>): CollectionToErase[] {
  return plan.collections.filter((collection): collection is CollectionToErase => collection.erasure !== undefined)
}

/** Reads the found rows of a collection in batches, always in the same order. A small spool is one batch, always the same. */
export function foundRowsOf(
  { outcomes, room }: Pick<ErasureContext, 'outcomes' | 'room'>,
  address: string,
): AsyncIterable<readonly FoundRow[]> {
  const spooled = outcomes.get(address)?.spools.find((spool) => spool.rule === foundRows)?.spooled
  return spooled && spooled.rows > 0 ? parsedOnce(spooled, room) : nothing()
}

/** Most bytes of a spool whose rows stay in memory for later steps. Most people have fewer rows than that. */
const smallBytes = 256 * 1024
const smallSpools = new WeakMap<Spooled, readonly FoundRow[]>()
/** The batches of small spools, with the last decisions about their rows. */
const smallBatches = new WeakMap<readonly FoundRow[], DecidedBatch | undefined>()

interface DecidedBatch {
  readonly collection: CollectionToErase
  readonly shared: ReadonlyMap<number, string> | undefined
  readonly decided: readonly DecidedRow[]
}

async function* parsedOnce(spooled: Spooled, room: SpoolRoom): AsyncIterable<readonly FoundRow[]> {
  const known = smallSpools.get(spooled)
  if (known) return yield known
  let bytes = 0
  async function* measured() {
    for await (const part of room.read(spooled)) {
      bytes += part.length
      yield part
    }
  }
  let all: FoundRow[] | undefined = []
  for await (const rows of readFoundRows(measured())) {
    if (!all) yield rows
    else {
      for (const row of rows) all.push(row)
      if (bytes <= smallBytes) continue
      yield all
      all = undefined
    }
  }
  if (!all) return
  smallSpools.set(spooled, all)
  smallBatches.set(all, undefined)
  yield all
}

/** The subject's keys that matched no row of a collection, each with its entry. */
export function unmatchedKeysOf({ outcomes, room }: Pick<ErasureContext, 'outcomes' | 'room'>, address: string) {
  const unmatched = outcomes.get(address)?.spools.find((spool) => spool.rule === unmatchedKeys)?.spooled
  return unmatched && unmatched.rows > 0 ? readUnmatchedKeys(room.read(unmatched)) : nothing()
}

async function* nothing(): AsyncIterable<never> {}

/** A text that changes when other rows were found or when the plan for them has changed. */
export function erasureSignature(
  { outcomes }: Pick<ErasureContext, 'outcomes'>,
  collection: CollectionToErase,
): string {
  const found = outcomes.get(collection.address)
  return createHash('sha256')
    .update(JSON.stringify([found?.foundId, collection.columns, collection.entries, collection.erasure]))
    .digest('base64url')
}

/** A found row with the decision about it. */
export interface DecidedRow {
  readonly foundRow: FoundRow
  readonly decision: RowDecision
}

/** Reads the found rows of a collection with the decisions about them, in batches. */
export async function* decidedRows(
  context: Pick<ErasureContext, 'outcomes' | 'room' | 'secret' | 'now'>,
  collection: CollectionToErase,
  shared: ReadonlyMap<number, string> | undefined,
  notText?: (found: NotText) => void,
): AsyncIterable<readonly DecidedRow[]> {
  const decisionOf = eraserOf(context, collection, notText)
  for await (const rows of foundRowsOf(context, collection.address)) {
    const known = smallBatches.get(rows)
    if (known && known.collection === collection && known.shared === shared && !notText) yield known.decided
    else {
      const decided = rows.map((foundRow) => ({
        foundRow,
        decision: decisionOf(foundRow, shared?.get(foundRow.place)),
      }))
      if (smallBatches.has(rows)) smallBatches.set(rows, { collection, shared, decided })
      yield decided
    }
  }
}

/** The columns that name a row: those of its key, or those of its values if there is no key. */
export function namingColumns(collection: PlannedCollection): readonly string[] {
  const { key = [] } = collection.erasure ?? {}
  return key.length > 0 ? key.map(({ column }) => column) : valueColumns(collection)
}

/** A row as it is after the decision was carried out. */
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

/** The decisions about a row of an earlier run, of which it is not known whether it stayed because of other people. */
export function decisionsEitherWay(decisionOf: ReturnType<typeof eraserOf>, foundRow: FoundRow): RowDecision[] {
  const decision = decisionOf(foundRow)
  return foundRow.beside ? [decision, decisionOf(foundRow, '')] : [decision]
}

/** A found row with the decision about it. */
export interface RowToErase extends DecidedRow {
  /** The number of equal rows for which it stands, 0 if an earlier equal row stands for it. Default: 1. */
  readonly copies?: number
  /** The number of rows, from this one on, that refer to each other and must be deleted together. */
  readonly together?: number
}

/**
 * Rows of people who were erased earlier and that still refer to shared rows. Of two people at one address, the second
 * erasure would otherwise keep the address for ever, because a row of the first person still refers to it. Keyed hashes
 * identify these rows.
 */
export interface ErasedPointers {
  /** Rows of `from` that refer by these fields to rows of `into`. `columns` are read, at least those of `leftNamesOf`. */
  of(
    from: PlannedCollection,
    fields: readonly PlannedField[],
    into: PlannedCollection,
    columns: readonly string[],
  ): {
    /** A keyed hash of the values that identify a written row, and of what is erased in the collection it refers to. */
    name(row: Row): Promise<string>
    /** The rows among these that an earlier erasure has left. */
    among(rows: readonly Row[]): Promise<ReadonlySet<Row>>
  }
  /** Whether an earlier erasure has left any row in a collection. */
  any(from: PlannedCollection): Promise<boolean>
}
