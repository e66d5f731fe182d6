import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { CountEach, KeyGroup, Row } from '../../ports/connector.js'
import { type Document, withoutElements } from '../../rules/erase/filter-elements.js'
import type { IncomingReference, PlannedCollection } from '../../rules/plan/plan.js'
import { appendTo } from '../../rules/value/append-to.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { entryState, nextChunks } from '../find/entry-state.js'
import type { FoundRow } from '../find/found-rows.js'
import { type Key, keyOf } from '../find/key-of.js'
import { conditionReader, elementsOf, type KeyReader, keyReader } from '../find/key-reader.js'
import { type KeySet, keySet } from '../find/key-set.js'
import { askedKeys, isAskable } from './asked-keys.js'
import { type ErasureContext, foundRowsOf } from './erasure-context.js'

/** Keys of rows that others may point to, each with the place of its row among the kept ones. */
export interface PointedTo {
  /** The collection they lie in. */
  readonly collection: string
  readonly connectionKey: string
  readonly keys: KeySet
  readonly places: readonly number[]
  /** By position of the key, further rows that it names: where its case does not count, or it was only declared to be one. */
  readonly further: ReadonlyMap<number, readonly number[]>
  /** Rows that a foreign key may lead to by what nobody can be asked: a document, or a key of the table behind a view. */
  readonly unheld: readonly number[]
}

/** Whether nothing can point to these rows. */
export function isPointedToByNone({ keys, unheld }: PointedTo): boolean {
  return keys.size === 0 && unheld.length === 0
}

/** Every row that a key names, by its position. */
export function placesOf({ places, further }: PointedTo, at: number): readonly number[] {
  return [places[at] as number, ...(further.get(at) ?? [])]
}

/** Reads what `fields` hold as keys of what the reference points to; of a foreign key also what is blank. */
export function pointerReader(
  collection: PlannedCollection,
  { to, onDelete }: IncomingReference,
  fields: IncomingReference['fields'],
): KeyReader {
  const read = keyReader(collection, fields, to)
  if (onDelete === undefined) return read
  const columns = fields.map(({ path }) => collection.columns.indexOf(path[0] as string))
  const isBlankText = (value: unknown) => typeof value === 'string' && value.trim() === ''
  const none = to.map(() => [])
  return (row, document, found) => {
    const values = columns.map((column) => row[column] ?? null)
    if (!values.some(isBlankText)) return read(row, document, found)
    if (values.includes(null)) return
    const parts = values.map((value, at) =>
      isBlankText(value) ? (value as string) : keyOf([value], [to[at] ?? {}], none),
    )
    if (parts.includes(undefined)) return
    found(parts.length === 1 ? (parts[0] as Key) : JSON.stringify(parts.map(String)))
  }
}

/** Gathers, for some of a collection's rows, the keys by which a reference leads to them. */
export function pointedTo(collection: PlannedCollection, reference: IncomingReference) {
  const keys = keySet(reference.to)
  const places: number[] = []
  const further = new Map<number, number[]>()
  const unheld: number[] = []
  const columns = reference.to.map(({ path }) => collection.columns.indexOf(path[0] as string))
  // What is a placeholder where the reference starts leads from there to no row.
  const fields = reference.to.map((field, at) => {
    return { ...field, placeholders: [...field.placeholders, ...(reference.fields[at]?.placeholders ?? [])] }
  })
  const read = pointerReader(collection, reference, fields)
  return {
    found: {
      ...{ collection: collection.collection, connectionKey: collection.connectionKey },
      ...{ keys, places, further, unheld },
    } satisfies PointedTo,
    add({ row, place, leftOut }: FoundRow) {
      // Behind a view nobody can tell which row is meant: it may be each.
      if (fields.length === 0) return void unheld.push(place)
      let isHeld = reference.onDelete === undefined || columns.some((column) => (row[column] ?? null) === null)
      const whole = elementsOf(collection, row)
      // Elements of other people are not erased, so that pointers to them do not count.
      const document = whole && leftOut.length > 0 ? withoutElements(whole, leftOut) : whole
      read(row, document, (key: Key) => {
        isHeld = true
        if (keys.add(key)) places.push(place)
        else appendTo(further, keys.find(key), place)
      })
      if (!isHeld) unheld.push(place)
    },
  }
}

/** What the table is called whose rows point. */
export function referencingName({ address, schema, collection }: IncomingReference): string {
  return address ?? [schema, collection].filter(Boolean).join('.')
}

/**
 * How many rows point there that `isInside` does not take for the request's, or why nobody can tell for good. Rejects as
 * the connector does where it cannot be known now.
 */
export async function referencingOutside(
  context: ErasureContext,
  reference: IncomingReference,
  found: PointedTo,
  isInside: (foundRow: FoundRow) => boolean,
): Promise<{ readonly rows: number } | { readonly unknown: string }> {
  try {
    const all = await anyReferencing(context, reference, found)
    const inside = await referencingInside(context, reference, found, isInside)
    // Row by row: what points to one of them is not made up for by what points to another.
    return { rows: all.reduce((sum, count, at) => sum + Math.max(0, count - (inside[at] as number)), 0) }
  } catch (error) {
    if (isPrivacyError(error, 'unsupported')) return { unknown: error.message }
    throw error
  }
}

/** Tells which of some keys a row points to, by their positions: each once, however often its list holds it. */
export function positionsReader(from: PlannedCollection, reference: IncomingReference, keys: KeySet) {
  const read = pointerReader(from, reference, reference.fields)
  const meets = conditionReader(from, reference.when)
  return (row: Row, document = elementsOf(from, row)): ReadonlySet<number> => {
    const positions = new Set<number>()
    if (!meets(row, document)) return positions
    read(row, document, (key) => {
      const at = keys.find(key)
      if (at !== -1) positions.add(at)
    })
    return positions
  }
}

/** For each key, how many rows of the request point to it. `counts` says which of the kept rows do. */
export async function referencingInside(
  context: ErasureContext,
  reference: IncomingReference,
  { keys }: PointedTo,
  counts: (foundRow: FoundRow) => boolean,
): Promise<Float64Array> {
  const inside = new Float64Array(keys.size)
  const from = reference.address === undefined ? undefined : context.byAddress.get(reference.address)
  if (!from) return inside
  const read = pointerReader(from, reference, reference.fields)
  const positionsOf = positionsReader(from, reference, keys)
  for await (const rows of foundRowsOf(context, from.address)) {
    for (const foundRow of rows) {
      if (!counts(foundRow)) continue
      const document = elementsOf(from, foundRow.row)
      const others = othersReferencing(foundRow, document, read)
      for (const at of positionsOf(foundRow.row, document)) {
        if (!others?.has(keys.at(at))) inside[at] = (inside[at] as number) + 1
      }
    }
  }
  return inside
}

/** What elements of others point to that stay in a row of the request: for that it stands outside as well. */
function othersReferencing(
  { row, leftOut }: FoundRow,
  document: Document | undefined,
  read: KeyReader,
): ReadonlySet<Key> | undefined {
  if (!document || leftOut.length === 0) return undefined
  const count = new Map<Key, number>()
  read(row, document, (key) => count.set(key, (count.get(key) ?? 0) + 1))
  read(row, withoutElements(document, leftOut), (key) => count.set(key, (count.get(key) ?? 0) - 1))
  return new Set([...count].flatMap(([key, left]) => (left > 0 ? [key] : [])))
}

/**
 * For each key, how many rows point to it at all: one grouped count. Rejects with `unsupported` where that cannot be
 * known for good, and as the connector does where it cannot be known now.
 */
export async function anyReferencing(
  context: ErasureContext,
  reference: IncomingReference,
  found: PointedTo,
): Promise<Float64Array> {
  const { signal } = context.lease
  const { open, counts, positionsOf } = await referencingCounts(context, reference, found)
  const total = new Float64Array(found.keys.size)
  let asked = 0
  for (const each of counts) {
    using _permit = await open.permit(signal)
    for (const count of (await open.connection.countEach?.(each, { signal })) ?? []) {
      for (const at of positionsOf(asked++)) total[at] = (total[at] as number) + count
    }
  }
  return total
}

/** What asks how many rows point to each key, tuple by tuple. */
export interface ReferencingCounts {
  readonly open: OpenConnection
  readonly counts: readonly CountEach[]
  /** The positions of the keys that a tuple stands for, by how many tuples come before it. */
  readonly positionsOf: (tuple: number) => readonly number[]
}

/** Rejects with `unsupported` where nobody can tell how many rows point to keys. */
export async function referencingCounts(
  context: ErasureContext,
  reference: IncomingReference,
  { keys, unheld, collection: referenced, connectionKey: near }: PointedTo,
): Promise<ReferencingCounts> {
  const { address, connectionKey, collection, schema, fields, to } = reference
  const unknown = (why: string) =>
    new PrivacyError(
      'unsupported',
      `Rows of '${referencingName(reference)}' that point there cannot be counted: ${why}.`,
      {
        feature: 'countEach',
      },
    )
  if (reference.to.length === 0) throw unknown('they point to a table behind it, which could be described in its place')
  if (schema !== undefined) throw unknown('it lies in another schema')
  // A foreign key leads to whatever its server takes for equal. Rows of the request are told exactly: never more of them.
  const live = reference.onDelete !== undefined
  // A key that is asked for in two spellings is counted for each as rows are written: either would be allowed the sum of both.
  const isSpelledTwice = near === connectionKey && fields.some(({ kind }, at) => kind === undefined && to[at]?.kind)
  if (!live && (isSpelledTwice || !isAskable(fields, to))) throw unknown('they are of another type')
  const left = context.plan.unsearched.find((each) => each.address === address)
  if (left?.reason === 'disabled' || left?.reason === 'no connection') throw unknown(left.reason)
  if (unheld.length > 0) throw unknown('the key of a row there is none that can be looked for')
  const open = await context.connection(connectionKey, address ?? collection)
  const { connection, connector } = open
  if (!connection.countEach) throw unknown(`the connector for ${connector.type} cannot`)
  const asPointed = { fields, keys, positionsOf: (at: number) => [at], isInPart: false }
  const asked = live ? asPointed : askedKeys(fields, to, keys)
  if (asked.isInPart) throw unknown('they are of another type')
  const state = entryState({ fields: asked.fields, when: reference.when, indexed: true })
  state.own = { keys: asked.keys, asked: [] }
  const references = { collection: referenced, columns: to.map(({ name }) => name) }
  const { maxKeys } = connector.capabilities
  const counts = nextChunks([state], 0, maxKeys, maxKeys).map(
    ({ groups }): CountEach => ({ collection, group: groups[0] as KeyGroup, ...(live && { references }) }),
  )
  return { open, counts, positionsOf: asked.positionsOf }
}
