import { PrivacyError } from '../../errors.js'
import type { Finding } from '../../rules/findings.js'
import type { NotText } from '../../rules/row-erasure.js'
import { type CheckedCollection, fault } from './checked-collection.js'
import { deletionReach } from './deletion-reach.js'
import { erasesOf, shapeOf, type WrittenRow } from './erase-batch.js'
import { type ErasedCollection, type ErasureContext, erasedCollections, fatedRows } from './erased-collection.js'
import type { SharedNotes } from './shared-notes.js'
import { allSharedRows } from './shared-rows.js'

export interface CheckedErasure {
  readonly collections: ReadonlyMap<string, CheckedCollection>
  /** What cannot be done, told from the rows: with one of them nothing is written (§7.15). */
  readonly impossible: readonly Finding[]
}

/**
 * Looks at everything that was found before the first write: whose rows are shared (§7.10), what the live tables would
 * refuse, and what rows that go would take with them (§7.15). `notes`: what was known of shared rows before anything was written, where something was.
 * Rejects where a database cannot be asked.
 */
export async function checkErasure(
  context: ErasureContext,
  notes?: (collection: ErasedCollection) => Promise<SharedNotes>,
): Promise<CheckedErasure> {
  const collections = new Map<string, CheckedCollection>()
  const impossible: Finding[] = []
  const allShared = await allSharedRows(context, notes)
  for (const collection of erasedCollections(context)) {
    const { address } = collection
    const shared = allShared.get(address) ?? new Map<number, string>()
    const notText = new Map<string, NotText>()
    let found = 0
    let due = 0
    let inPart = 0
    const samples = new Map<string, WrittenRow>()
    const rows = fatedRows(context, collection, shared, (each) => void notText.set(each.field, each))
    for await (const { place, kept, fate } of rows) {
      if (fate.kind === 'mask' || fate.kind === 'delete') {
        due++
        if (kept.leftOut.length > 0) inPart++
        if (fate.kind === 'mask') {
          const shape = shapeOf(fate.changes)
          if (!samples.has(shape)) samples.set(shape, { place, kept, fate, copies: 1 })
        }
      }
      found++
    }
    collections.set(address, { shared, found, due })
    for (const { field, strategy } of notText.values()) {
      impossible.push(
        fault(
          collection,
          field,
          `'${address}.${field}' holds values that are no text, which '${strategy}' cannot replace: name 'null_rewrite' as its masking_strategy, or keep it with 'retain' or 'read_only'.`,
        ),
      )
    }
    if (due === 0) continue
    if (collection.erasure.byHand && inPart > 0) impossible.push(inPartByHand(collection, inPart))
    const closed = await unwritable(context, collection)
    if (closed) impossible.push(closed)
    else impossible.push(...(await trial(context, collection, [...samples.values()])))
  }
  for (const collection of erasedCollections(context)) {
    if (collection.erasure.how === 'delete') impossible.push(...(await deletionReach(context, collection, collections)))
  }
  return { collections, impossible }
}

/** Nobody could say to a person which elements of a list are somebody else's. */
function inPartByHand(collection: ErasedCollection, rows: number): Finding {
  const { address } = collection
  return fault(
    collection,
    undefined,
    `${rows} ${rows === 1 ? 'row' : 'rows'} of '${address}' hold elements of other people in a list, so a person cannot be asked to erase them: keep the list with 'retain' or 'read_only', or set 'return_all_elements' on it.`,
  )
}

/** Why nothing at all can be written to a collection. */
async function unwritable(context: ErasureContext, collection: ErasedCollection): Promise<Finding | undefined> {
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

/** Tries the new values on a row of each shape and takes them back: rules of the database that no catalogue tells speak up. */
async function trial(
  context: ErasureContext,
  collection: ErasedCollection,
  samples: readonly WrittenRow[],
): Promise<Finding[]> {
  // Rows that only their values tell apart cannot be tried one by one, and a person tries nothing.
  if (collection.erasure.byHand) return []
  const open = await context.connection(collection.connectionKey, collection.address)
  const found = new Map<string, Finding>()
  for (const sample of samples) {
    if (sample.fate.byValues) continue
    try {
      using _place = await open.place(context.lease.signal)
      for (const erase of erasesOf(collection, [sample])) await open.connection.erase?.(erase, { rollBack: true })
    } catch (error) {
      const refusal = PrivacyError.from(error)
      const { reason, column } = refusal.details as { reason?: string; column?: string }
      if (refusal.code === 'unsupported') found.set(refusal.message, fault(collection, undefined, refusal.message))
      else if (refusal.code === 'connection_failed' && reason === 'refused') {
        const message = `The database refuses what '${collection.address}' would become: ${refusal.message} Name another masking_strategy, or keep the field with 'retain' or 'read_only'.`
        found.set(message, fault(collection, column, message))
      } else throw error
    }
  }
  return [...found.values()]
}
