import { PrivacyError } from '../../errors.js'
import type { Row } from '../../ports/connector.js'
import type { NotText, RowDecision } from '../../rules/erase/row-eraser.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { countedRows } from '../../rules/value/counted-rows.js'
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
  type CollectionToErase,
  collectionsToErase,
  decidedRows,
  type ErasureContext,
} from './erasure-context.js'
import { maskingImpact } from './masking-impact.js'
import { type RowToWrite, rowGroups, shapes } from './row-groups.js'
import type { SharedNotes } from './shared-notes.js'
import type { SharedRows, SharingCollection } from './sharing-collection.js'

export interface CheckedErasure {
  readonly collections: ReadonlyMap<string, CheckedCollection>
  readonly shared: SharedRows
  readonly few: FewOthers
  /** What cannot be done, told from the rows: with one of them nothing is written. */
  readonly impossible: readonly Finding[]
  /** Collections whose rows something points to that was not found: it may have come since they were read. */
  readonly stale: readonly CollectionToErase[]
  /** Fields in which an identity of the request stays in rows of the person. */
  readonly identityRemains: readonly string[]
}

/**
 * Looks at everything that was found before the first write: whose rows are shared, what the live tables would refuse,
 * and what rows that go, or keys that change, would take with them (see docs/semantics.md, 'What is erased'). `notes`:
 * what was known of shared rows before anything was written, where something was. Rejects where a database cannot be
 * asked.
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
    // A row is deleted after those that may point to it, so its deletion cannot be tried first.
    const isReferenced = collection.erasure.pointedToBy.length > 0
    // What a database thinks of a new value may hang on what is NULL beside it.
    const shapeOf = shapes({ nullsApart: true })
    const staying = stayingIdentities(context, collection, remains)
    const decided = decidedRows(context, collection, shared, (each) => void notText.set(each.field, each))
    for await (const rows of decided) {
      found += rows.length
      for (const { foundRow, decision } of rows) {
        staying(foundRow, decision)
        if (decision.kind !== 'mask' && decision.kind !== 'delete') continue
        due++
        if (foundRow.leftOut.length > 0) inPart++
        if (decision.kind === 'delete' && isReferenced) continue
        if (decision.kind === 'mask') masksInstead = collection.erasure.how === 'delete'
        const shape = shapeOf(decision)
        const alike = samples.get(shape) ?? []
        // Two of them tell whether one value can stand in several rows.
        if (alike.length < 2) samples.set(shape, [...alike, { foundRow, decision }])
      }
    }
    collections.set(address, { shared, found, due, pointers: pointers.get(address) ?? new Map() })
    for (const { field, strategy } of notText.values()) {
      impossible.push(
        fault(
          collection,
          field,
          `'${address}.${field}' holds values that are no text, which '${strategy}' cannot replace: name 'null_rewrite' as its masking_strategy, or keep it with 'retain' or 'read_only'.`,
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
    const going = collection.erasure.how === 'delete' ? await deletionImpact(context, collection, collections) : []
    const reached = [...going, ...(await maskingImpact(context, collection, collections))]
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

/** A checkpoint of an older version does not say what rows hold: too much is named rather than too little. */
function judgedFields({ judging }: PlannedCollection): readonly string[] {
  return judging.identities.map(({ field }) => field.name)
}

/** Notes fields that hold an identity of the request in rows that are to keep it. */
function stayingIdentities(context: ErasureContext, collection: CollectionToErase, remains: Set<string>) {
  const held = heldIdentities(collection, context.identities.identities)
  const holdsNow = (row: Row) => held(row, elementsOf(collection, row))
  return ({ row }: FoundRow, decision: RowDecision) => {
    if (decision.kind === 'delete' || holdsNow(row).length === 0) return
    for (const name of holdsNow(afterwards(collection, row, decision))) remains.add(`${collection.address}.${name}`)
  }
}

/** Nobody could say to a person which elements of a list are somebody else's. */
function inPartByHand(collection: CollectionToErase, rows: number): Finding {
  const { address } = collection
  return fault(
    collection,
    undefined,
    `${countedRows(rows)} of '${address}' ${rows === 1 ? 'holds' : 'hold'} elements of other people in a list, so a person cannot be asked to erase them: keep the list with 'retain' or 'read_only', or set 'return_all_elements' on it.`,
  )
}

/** Why nothing at all can be written to a collection. */
async function unwritable(context: ErasureContext, collection: CollectionToErase): Promise<Finding | undefined> {
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

/** Writes some rows of each shape and takes that back: rules of the database that no catalogue tells speak up. */
async function trial(
  context: ErasureContext,
  collection: CollectionToErase,
  samples: readonly (readonly RowToWrite[])[],
): Promise<Finding[]> {
  // Rows that only their values tell apart cannot be tried one by one, and a person tries nothing.
  if (collection.erasure.byHand) return []
  const open = await context.connection(collection.connectionKey, collection.address)
  const found = new Map<string, Finding>()
  const { maxErased = 1, maxKeys } = open.connector.capabilities
  for (const alike of samples) {
    if (alike.some(({ decision }) => decision.byValues)) continue
    const sample = rowGroups(collection)
    for (const { foundRow, decision } of alike.slice(0, Math.min(maxErased, maxKeys))) sample.add(foundRow, decision)
    try {
      using _permit = await open.permit(context.lease.signal)
      for (const group of sample.list()) await open.connection.erase?.(eraseOf(collection, group), { rollBack: true })
    } catch (error) {
      const refusal = PrivacyError.from(error)
      const { reason, column, constraint } = refusal.details as Partial<Record<string, string>>
      if (refusal.code === 'unsupported') found.set(refusal.message, fault(collection, undefined, refusal.message))
      else if (refusal.code === 'connection_failed' && reason === 'refused') {
        const goes = alike.some(({ decision }) => decision.kind === 'delete')
        const rule = constraint === undefined ? 'one of its rules' : `its rule "${constraint}"`
        const message = goes
          ? `The database refuses to delete rows of '${collection.address}', because of ${rule}: mask them instead ${byMasking}, or keep them with 'retain'.`
          : `The database refuses what '${collection.address}' would become: ${refusal.message} Name another masking_strategy, or keep the field with 'retain' or 'read_only'.`
        found.set(message, fault(collection, goes ? undefined : column, message))
      } else throw error
    }
  }
  return [...found.values()]
}
