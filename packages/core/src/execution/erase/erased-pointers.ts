import type { ActionContext } from '../../actions/action-context.js'
import { identityHashes } from '../../actions/requests/identity-hashes.js'
import { keysOf } from '../../actions/service-keys.js'
import type { Row } from '../../ports/connector.js'
import type { IncomingReference, Plan, PlannedCollection } from '../../rules/plan/plan.js'
import { reached } from '../../rules/plan/traversal.js'
import type { FoundRow } from '../find/found-rows.js'
import { isAskable } from './asked-keys.js'
import {
  afterwards,
  type CheckingContext,
  type CollectionToErase,
  type ErasedPointers,
  type ErasureContext,
  eraserOf,
  foundRowsOf,
} from './erasure-context.js'
import { isWritten } from './erasure-progress.js'
import { leftNamesOf, nameOf, namesOf, referencingRows } from './names-of.js'
import { positionsReader, type ReferencedKeys, referencedKeys } from './referencing-rows.js'
import { type SharedRows, sharingCollections } from './sharing-collection.js'

export function erasedPointers({ storage, secrets, runtime }: ActionContext, plan: Plan): ErasedPointers {
  const { hash } = identityHashes(keysOf({ storage, secrets, runtime }))
  const table = storage.table('leftPointer')
  const erasedIn = new Map<string, ErasedFields>()
  const any: ErasedPointers['any'] = async ({ address }) =>
    (await table.find({ where: { address: { equals: address } }, limit: 1 })).length > 0
  return {
    any,
    of(from, fields, { address }, columns) {
      const names = leftNamesOf(from, fields)
      // If an earlier erasure covered less than this one, the rest of that person's data still counts as shared.
      const erased = erasedIn.get(address) ?? erasedBelow(plan, address)
      erasedIn.set(address, erased)
      const name = (row: Row) =>
        hash(JSON.stringify(['pointer', from.address, names, address, erased, nameOf(names, row, columns)]))
      return {
        name,
        async among(rows) {
          if (rows.length === 0 || !(await any(from))) return new Set()
          const ids = await Promise.all(rows.map(name))
          const known = new Set((await table.find({ where: { id: { in: [...new Set(ids)] } } })).map(({ id }) => id))
          return new Set(rows.filter((_, at) => known.has(ids[at] as string)))
        },
      }
    },
  }
}

/** By collection: how its rows are erased, and the fields that are masked. */
type ErasedFields = readonly (readonly string[])[]

/** What is erased in a collection and in those that are found through its rows. */
function erasedBelow({ collections }: Plan, address: string): ErasedFields {
  const followed = collections.flatMap(({ address: from, links }) =>
    links.flatMap(({ to, kind }) => (kind === 'compared' ? [] : [{ from, to }])),
  )
  const below = reached(followed, [address])
  const erased = collections.flatMap(({ address: at, erasure }) =>
    erasure && below.has(at) ? [[at, erasure.how, ...erasure.masks.map(({ path }) => path.join('.')).sort()]] : [],
  )
  return erased.sort(([one = ''], [other = '']) => (one < other ? -1 : 1))
}

/** Notes rows of the subject that refer to rows which stay for others. */
export async function noteLeftPointers(context: ErasureContext, shared: SharedRows): Promise<void> {
  const left = new Map<string, string>()
  for (const { collection, pointedToBy } of sharingCollections(context)) {
    const staying = shared.get(collection.address)
    if (!staying || staying.size === 0) continue
    for (const reference of pointedToBy) {
      const from = reference.address === undefined ? undefined : context.byAddress.get(reference.address)
      if (!from) continue
      const { found, add } = referencedKeys(collection, reference)
      for await (const rows of foundRowsOf(context, collection.address)) {
        for (const foundRow of rows) if (staying.has(foundRow.place) && !foundRow.own) add(foundRow)
      }
      const positionsOf = positionsReader(from, reference, found.keys)
      const pointers = context.pointers.of(from, reference.fields, collection, from.columns)
      const decisionOf = from.erasure && eraserOf(context, from as CollectionToErase)
      const staysThere = shared.get(from.address)
      for await (const rows of foundRowsOf(context, from.address)) {
        for (const foundRow of rows) {
          const { reason, row, place } = foundRow
          // rows that hang on what is shared are noted as the person's own: only a judged row names somebody else
          if (reason !== undefined || positionsOf(row).size === 0) continue
          const decision = decisionOf?.(foundRow, staysThere?.get(place))
          if (decision?.kind === 'delete') continue
          left.set(await pointers.name(decision ? afterwards(from, row, decision) : row), from.address)
        }
      }
    }
  }
  if (left.size === 0) return
  const { lease, requestId } = context
  await lease.write(async (within) => {
    const table = within.table('leftPointer')
    const known = new Set((await table.find({ where: { id: { in: [...left.keys()] } } })).map(({ id }) => id))
    const rows = [...left]
      .filter(([id]) => !known.has(id))
      .map(([id, address]) => ({ id, address, requestId, version: 1 }))
    if (rows.length > 0) await table.insertMany(rows)
  })
}

/**
 * Counts, for each key, the referring rows that earlier erasures have left. Undefined if there are none. Reads only those
 * columns of other people's rows that identify them.
 */
export async function countLeft(
  context: CheckingContext,
  into: PlannedCollection,
  reference: IncomingReference,
  { keys }: ReferencedKeys,
): Promise<Float64Array | undefined> {
  const from = reference.address === undefined ? undefined : context.byAddress.get(reference.address)
  const { fields, to } = reference
  if (!from || keys.size === 0 || !isAskable(fields, to) || !(await context.pointers.any(from))) return undefined
  const names = namesOf(from, fields)
  const mine = new Set<string>()
  for await (const rows of foundRowsOf(context, from.address)) {
    // a row that names somebody else as well is never counted as the request's
    for (const { row, reason } of rows) if (reason === undefined) mine.add(nameOf(names, row, from.columns))
  }
  const count = new Float64Array(keys.size)
  const more = leftNamesOf(from, fields)
  for await (const { rows, columns } of referencingRows(context, from, reference, keys, more)) {
    const positionsOf = positionsReader({ ...from, columns }, reference, keys)
    const others = rows.filter((row) => !mine.has(nameOf(names, row, columns)))
    for (const row of await context.pointers.of(from, fields, into, columns).among(others)) {
      for (const at of positionsOf(row)) count[at] = (count[at] as number) + 1
    }
  }
  return count
}

/**
 * Tells whether a referring row of the request still exists. Undefined if the request has not written any of them. A deleted
 * row must not be subtracted from the number of referring rows.
 */
export async function stillReferencing(
  context: ErasureContext,
  reference: IncomingReference,
  { keys }: ReferencedKeys,
): Promise<((foundRow: FoundRow) => boolean) | undefined> {
  const from = reference.address === undefined ? undefined : context.byAddress.get(reference.address)
  if (from?.erasure?.how !== 'delete' || keys.size === 0 || !(await isWritten(context, from))) return undefined
  if (!isAskable(reference.fields, reference.to)) return () => false
  const names = namesOf(from, reference.fields)
  const existing = new Set<string>()
  for await (const { rows, columns } of referencingRows(context, from, reference, keys)) {
    for (const row of rows) existing.add(nameOf(names, row, columns))
  }
  return ({ row }) => existing.has(nameOf(names, row, from.columns))
}
