import { PrivacyError } from '../../errors.js'
import { plainAddress } from '../../model/compared-text.js'
import type { Row } from '../../ports/connector.js'
import type { NotText } from '../../rules/erase/mask-within.js'
import { heldAt, holdsSomething } from '../../rules/erase/member-at.js'
import type { RowDecision } from '../../rules/erase/row-eraser.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { countedRows } from '../../rules/value/counted-rows.js'
import type { OpenConnection } from '../connect/open-connections.js'
import type { FoundRow } from '../find/found-rows.js'
import { heldIdentities } from '../find/identity-matcher.js'
import { elementsOf } from '../find/key-reader.js'
import { rowsFound } from '../find/row-counts.js'
import { allSharedRows, type FewOthers } from './all-shared-rows.js'
import { byMasking, type CheckedCollection, fault } from './checked-collection.js'
import { deletionImpact } from './deletion-impact.js'
import { eraseOf } from './erase-of.js'
import {
  afterwards,
  type CheckingContext,
  type CollectionToErase,
  collectionsToErase,
  decidedRows,
  type ErasureContext,
  type FoundContext,
} from './erasure-context.js'
import { halvesOf, isTooLarge } from './halved.js'
import { isAtomic } from './is-atomic.js'
import { maskingImpact } from './masking-impact.js'
import { mostRows } from './most-rows.js'
import { type RowGroup, type RowToWrite, rowGroups, shapes } from './row-groups.js'
import type { SharedNotes } from './shared-notes.js'
import type { SharedRows, SharingCollection } from './sharing-collection.js'

export interface CheckedErasure {
  readonly collections: ReadonlyMap<string, CheckedCollection>
  readonly shared: SharedRows
  readonly few: FewOthers
  /** Parts of the erasure that the found rows make impossible. With one of them, nothing is written. */
  readonly impossible: readonly Finding[]
  /** Collections with referring rows that were not found. These may be newer than the search. */
  readonly stale: readonly CollectionToErase[]
  /** Fields in which the subject's rows keep an identity of the request. */
  readonly identityRemains: readonly string[]
}

/**
 * Checks all found rows before the first write: which are shared, which writes the tables would refuse, and which other rows
 * a deletion or a changed key would reach (see docs/semantics.md, 'What is erased'). `notes` holds what was known about
 * shared rows before the first write, if the erasure has begun. Rejects when a database cannot be reached.
 */
export async function checkErasure(
  context: ErasureContext,
  notes?: (collection: SharingCollection) => Promise<SharedNotes>,
): Promise<CheckedErasure> {
  const collections = new Map<string, CheckedCollection>()
  const impossible: Finding[] = []
  const remains = new Set<string>()
  const { shared: allShared, pointers, few } = await allSharedRows(context, notes)
  for (const collection of collectionsToErase(context)) {
    const { address } = collection
    const shared = allShared.get(address) ?? new Map<number, string>()
    const notText = new Map<string, NotText>()
    let found = 0
    let due = 0
    let inPart = 0
    let masksInstead = false
    const samples = new Map<string, RowToWrite[]>()
    // A row is deleted after the rows that may refer to it, so its deletion cannot be tried first.
    const isReferenced = collection.erasure.pointedToBy.length > 0
    // Whether a database accepts a new value may depend on which other columns are NULL.
    const shapeOf = shapes({ nullsApart: true })
    const staying = stayingIdentities(context, collection, remains)
    const unheld = new Map(
      collection.erasure.masks.flatMap((mask) => (mask.unsampled ? [[mask.field, mask.path]] : [])),
    )
    const decided = decidedRows(context, collection, shared, (each) => void notText.set(each.field, each))
    for await (const rows of decided) {
      found += rows.length
      for (const { foundRow, decision } of rows) {
        staying(foundRow, decision)
        if (decision.kind !== 'mask' && decision.kind !== 'delete') continue
        due++
        for (const [field, path] of unheld) if (holds(collection, foundRow, path)) unheld.delete(field)
        if (foundRow.leftOut.length > 0) inPart++
        if (decision.kind === 'delete' && isReferenced) continue
        if (decision.kind === 'mask') masksInstead = collection.erasure.how === 'delete'
        const shape = shapeOf(decision)
        const alike = samples.get(shape) ?? []
        // Two rows show whether several rows may hold the same new value.
        if (alike.length < 2) samples.set(shape, [...alike, { foundRow, decision }])
      }
    }
    collections.set(address, {
      ...{ shared, found, due, pointers: pointers.get(address) ?? new Map() },
      unheld: new Set(unheld.keys()),
    })
    for (const { field, strategy } of notText.values()) {
      impossible.push(
        fault(
          collection,
          field,
          `'${address}.${field}' holds values that are not text, which '${strategy}' cannot replace: use 'null_rewrite' as its masking_strategy, or keep the field with 'retain' or 'read_only'.`,
        ),
      )
    }
    if (masksInstead) impossible.push(...(collection.erasure.instead ?? []))
    if (due === 0) continue
    if (collection.erasure.byHand && inPart > 0) impossible.push(inPartByHand(collection, inPart))
    const closed = await unwritable(context, collection)
    if (closed) impossible.push(closed)
    else impossible.push(...(await trial(context, collection, [...samples.values()])))
  }
  const stale: CollectionToErase[] = []
  for (const collection of collectionsToErase(context)) {
    const deleting = collection.erasure.how === 'delete' ? await deletionImpact(context, collection, collections) : []
    const reached = [...deleting, ...(await maskingImpact(context, collection, collections))]
    impossible.push(...reached)
    if (reached.length > 0) stale.push(collection)
  }
  for (const collection of context.byAddress.values()) {
    const counts = context.outcomes.get(collection.address)?.counts
    if (collection.erasure || rowsFound(counts) === 0) continue
    for (const name of counts?.holding ?? judgedFields(collection)) remains.add(`${collection.address}.${name}`)
  }
  return { collections, shared: allShared, few, impossible, stale, identityRemains: [...remains].sort() }
}

function holds({ columns }: PlannedCollection, { row }: FoundRow, [column, ...rest]: readonly string[]): boolean {
  return holdsSomething(heldAt(row[columns.indexOf(column as string)], rest))
}

/** A checkpoint of an older version does not name the fields with identities, so all identity fields are reported. */
function judgedFields({ judging }: PlannedCollection): readonly string[] {
  return judging.identities.map(({ field }) => field.name)
}

/** Notes fields in which rows keep an identity of the request after the erasure. */
function stayingIdentities(context: FoundContext, collection: CollectionToErase, remains: Set<string>) {
  const held = heldIdentities(collection, context.identities.identities)
  const holdsNow = (row: Row) => held(row, elementsOf(collection, row))
  return ({ row }: FoundRow, decision: RowDecision) => {
    if (decision.kind === 'delete' || holdsNow(row).length === 0) return
    const after = withoutComputed(collection, row, afterwards(collection, row, decision))
    for (const name of holdsNow(after)) remains.add(`${collection.address}.${name}`)
  }
}

/** The row after it was masked, without the texts that its server has computed of texts that are masked. */
function withoutComputed({ columns, erasure }: CollectionToErase, before: Row, after: Row): Row {
  const { generated = [] } = erasure
  if (generated.length === 0) return after
  const textAt = (at: number) => (typeof before[at] === 'string' ? plainAddress(before[at]) : undefined)
  const masked = new Set(before.flatMap((value, at) => (value === after[at] ? [] : textAt(at))))
  masked.delete(undefined)
  return after.map((value, at) => (generated.includes(columns[at] as string) && masked.has(textAt(at)) ? null : value))
}

/** People who erase by hand cannot know which elements of a list belong to somebody else. */
function inPartByHand(collection: CollectionToErase, rows: number): Finding {
  const { address } = collection
  return fault(
    collection,
    undefined,
    `${countedRows(rows)} of '${address}' ${rows === 1 ? 'holds' : 'hold'} elements of other people in a list, so these rows cannot be erased by hand: keep the list with 'retain' or 'read_only', or set 'return_all_elements' on it.`,
  )
}

/** Why a collection cannot be written at all. Undefined if it can. */
async function unwritable(context: CheckingContext, collection: CollectionToErase): Promise<Finding | undefined> {
  const { address, connectionKey, erasure } = collection
  if (erasure.readOnly) {
    return fault(
      collection,
      undefined,
      `Rows to erase were found in '${address}', but connection '${connectionKey}' may only be read: give it access 'write', or leave the collection out with 'skip_processing'.`,
    )
  }
  if (erasure.byHand) return undefined
  const { connection, connector } = await context.connection(connectionKey, address)
  if (connection.erase && connector.capabilities.maxErased !== undefined) return undefined
  return fault(
    collection,
    undefined,
    `Rows to erase were found in '${address}', but the connector for ${connector.type} only reads: use one that erases, or leave the collection out with 'skip_processing'.`,
  )
}

/** Tries as many rows of a group as the database takes at once. */
async function triedInPart(open: OpenConnection, collection: CollectionToErase, group: RowGroup): Promise<void> {
  try {
    await open.connection.erase?.(eraseOf(collection, group), { rollBack: true })
  } catch (error) {
    if (!isTooLarge(error, group)) throw error
    await triedInPart(open, collection, halvesOf(group)[0])
  }
}

/** Writes sample rows of each shape and rolls that back, to find rules of the database that the catalogue does not show. */
async function trial(
  context: CheckingContext,
  collection: CollectionToErase,
  samples: readonly (readonly RowToWrite[])[],
): Promise<Finding[]> {
  // Rows without a key cannot be tried one by one, and people who erase by hand cannot try at all.
  if (collection.erasure.byHand) return []
  const open = await context.connection(collection.connectionKey, collection.address)
  const found = new Map<string, Finding>()
  const most = mostRows(collection, open.connector.capabilities)
  // What is written there stays.
  if (!isAtomic(collection, open)) return []
  for (const alike of samples) {
    if (alike.some(({ decision }) => decision.byValues)) continue
    const sample = rowGroups(collection)
    for (const { foundRow, decision } of alike.slice(0, most)) sample.add(foundRow, decision)
    try {
      using _permit = await open.permit(context.lease.signal)
      for (const group of sample.list()) await triedInPart(open, collection, group)
    } catch (error) {
      const refusal = PrivacyError.from(error)
      const { reason, column, constraint } = refusal.details as Partial<Record<string, string>>
      if (refusal.code === 'unsupported') found.set(refusal.message, fault(collection, undefined, refusal.message))
      else if (refusal.code === 'connection_failed' && reason === 'refused') {
        const isDeleted = alike.some(({ decision }) => decision.kind === 'delete')
        const rule = constraint === undefined ? 'one of its rules' : `its rule "${constraint}"`
        const message = isDeleted
          ? `The database refuses to delete rows of '${collection.address}', because of ${rule}: mask them instead ${byMasking}, or keep them with 'retain'.`
          : `The database refuses the new values of '${collection.address}': ${refusal.message} Use another masking_strategy, or keep the field with 'retain' or 'read_only'.`
        found.set(message, fault(collection, isDeleted ? undefined : column, message))
      } else throw error
    }
  }
  return [...found.values()]
}
