import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { CountEach, KeyGroup, Row } from '../../ports/connector.js'
import { type Document, isOthersRow, withoutElements } from '../../rules/erase/filter-elements.js'
import type { IncomingReference, PlannedCollection } from '../../rules/plan/plan.js'
import { isOutsideLists, namesOthers } from '../../rules/plan/shared-in-part.js'
import { appendTo } from '../../rules/value/append-to.js'
import type { OpenConnection } from '../connect/open-connections.js'
import { entryState, nextChunks } from '../find/entry-state.js'
import type { FoundRow } from '../find/found-rows.js'
import { type Key, keyOf } from '../find/key-of.js'
import { conditionReader, elementsOf, type KeyReader, keyReader } from '../find/key-reader.js'
import { type KeySet, keySet } from '../find/key-set.js'
import { askedKeys, isAskable } from './asked-keys.js'
import { type CheckingContext, type FoundContext, foundRowsOf } from './erasure-context.js'

/** Keys of rows that other rows may refer to, each with the place of its row among the found rows. */
export interface ReferencedKeys {
  /** The collection of these rows. */
  readonly collection: string
  readonly connectionKey: string
  readonly keys: KeySet
  readonly places: readonly number[]
  /** Further rows with the same key, by position: its case does not count, or the key is declared but not unique. */
  readonly further: ReadonlyMap<number, readonly number[]>
  /** Rows whose key cannot be searched: a document, or a key of the table behind a view. */
  readonly unheld: readonly number[]
}

/** Whether no row can refer to these rows. */
export function isReferencedByNone({ keys, unheld }: ReferencedKeys): boolean {
  return keys.size === 0 && unheld.length === 0
}

/** The places of all rows with the key at a position. */
export function placesOf({ places, further }: ReferencedKeys, at: number): readonly number[] {
  return [places[at] as number, ...(further.get(at) ?? [])]
}

/** Reads `fields` as keys of the rows that the reference leads to. In a foreign key, blank texts are keys as well. */
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

/** Gathers the keys by which a reference leads to rows of a collection. */
export function referencedKeys(collection: PlannedCollection, reference: IncomingReference) {
  const keys = keySet(reference.to)
  const places: number[] = []
  const further = new Map<number, number[]>()
  const unheld: number[] = []
  const columns = reference.to.map(({ path }) => collection.columns.indexOf(path[0] as string))
  // A placeholder of the referring field leads to no row.
  const fields = reference.to.map((field, at) => {
    return { ...field, placeholders: [...field.placeholders, ...(reference.fields[at]?.placeholders ?? [])] }
  })
  const read = pointerReader(collection, reference, fields)
  return {
    found: {
      collection: collection.collection,
      connectionKey: collection.connectionKey,
      keys,
      places,
      further,
      unheld,
    } satisfies ReferencedKeys,
    add({ row, place, leftOut }: FoundRow) {
      // Behind a view it is not known which row a key names, so it may be any of them.
      if (fields.length === 0) return void unheld.push(place)
      // Of such a row nothing is written to which a reference could lead.
      let isHeld =
        isOthersRow(leftOut) ||
        reference.onDelete === undefined ||
        columns.some((column) => (row[column] ?? null) === null)
      const whole = elementsOf(collection, row)
      // Elements of other people are not erased, so references to them do not count.
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

/** The name of the referring table, for messages. */
export function referencingName({ address, schema, collection }: IncomingReference): string {
  return address ?? [schema, collection].filter(Boolean).join('.')
}

/**
 * Counts the referring rows that `isInside` does not count as the request's, or tells why they can never be counted.
 * Rejects as the connector does when they cannot be counted now.
 */
export async function referencingOutside(
  context: CheckingContext,
  reference: IncomingReference,
  found: ReferencedKeys,
  isInside: (foundRow: FoundRow) => boolean,
): Promise<{ readonly rows: number } | { readonly unknown: string }> {
  try {
    const all = await anyReferencing(context, reference, found)
    const inside = await referencingInside(context, reference, found, isInside)
    // Each key counts by itself: rows of the request that refer to one key do not offset other rows at another key.
    return { rows: all.reduce((sum, count, at) => sum + Math.max(0, count - (inside[at] as number)), 0) }
  } catch (error) {
    if (isPrivacyError(error, 'unsupported')) return { unknown: error.message }
    throw error
  }
}

/** Reads the positions of the keys that a row refers to, each once, even if a list holds it several times. */
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

/** Counts, for each key, the rows of the request that refer to it. `counts` tells which found rows count. */
export async function referencingInside(
  context: FoundContext,
  reference: IncomingReference,
  { keys }: ReferencedKeys,
  counts: (foundRow: FoundRow) => boolean,
): Promise<Float64Array> {
  const inside = new Float64Array(keys.size)
  const from = reference.address === undefined ? undefined : context.byAddress.get(reference.address)
  if (!from) return inside
  const read = pointerReader(from, reference, reference.fields)
  const positionsOf = positionsReader(from, reference, keys)
  // What lies beside a list belongs to all people whom the list names.
  const mayBeInPart = from.erasure?.onShared !== 'erase' && isOutsideLists(from, reference.fields)
  for await (const rows of foundRowsOf(context, from.address)) {
    for (const foundRow of rows) {
      if (!counts(foundRow) || (mayBeInPart && namesOthers(from, foundRow.row, foundRow.leftOut))) continue
      const document = elementsOf(from, foundRow.row)
      const others = othersReferencing(foundRow, document, read)
      for (const at of positionsOf(foundRow.row, document)) {
        if (!others?.has(keys.at(at))) inside[at] = (inside[at] as number) + 1
      }
    }
  }
  return inside
}

/** The keys to which elements of other people in a row of the request refer. For these keys the row counts as outside. */
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
 * Counts, for each key, all rows that refer to it, in one grouped count. Rejects with `unsupported` if they can never be
 * counted, and as the connector does if they cannot be counted now.
 */
export async function anyReferencing(
  context: CheckingContext,
  reference: IncomingReference,
  found: ReferencedKeys,
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

/** The counts of rows that refer to each key, tuple by tuple. */
export interface ReferencingCounts {
  readonly open: OpenConnection
  readonly counts: readonly CountEach[]
  /** The positions of the keys that a tuple was made from, by the number of tuples before it. */
  readonly positionsOf: (tuple: number) => readonly number[]
}

const reasons: Readonly<Record<NonNullable<IncomingReference['uncounted']>, string>> = {
  hidden: 'the database may hide some of them from the user of the connection',
  columns: 'the connector looks them up by other columns only',
  members: 'they refer by a member of a column, and the connector searches columns only as a whole',
}

/** Makes the counts. Rejects with `unsupported` if the rows that refer to the keys can never be counted. */
export async function referencingCounts(
  context: CheckingContext,
  reference: IncomingReference,
  { keys, unheld, collection: referenced, connectionKey: near }: ReferencedKeys,
): Promise<ReferencingCounts> {
  const { address, connectionKey, collection, schema, fields, to } = reference
  const unknown = (why: string) =>
    new PrivacyError(
      'unsupported',
      `Rows of '${referencingName(reference)}' that refer to these rows cannot be counted: ${why}.`,
      {
        feature: 'countEach',
      },
    )
  if (reference.to.length === 0)
    throw unknown('they refer to a table behind the described one, so describe that table instead')
  if (schema !== undefined) throw unknown('their table lies in another schema, or is not shown to the connection')
  // A foreign key leads to every value that its server holds equal. Rows of the request are compared exactly.
  const live = reference.onDelete !== undefined
  // A key with two spellings would be counted once for each during the write, and each count would be allowed the sum.
  const isSpelledTwice = near === connectionKey && fields.some(({ kind }, at) => kind === undefined && to[at]?.kind)
  if (!live && (isSpelledTwice || !isAskable(fields, to))) throw unknown('their columns have another type')
  const left = context.plan.unsearched.find((each) => each.address === address)
  if (left?.reason === 'disabled' || left?.reason === 'no connection') throw unknown(left.reason)
  if (reference.uncounted) throw unknown(reasons[reference.uncounted])
  const filter = context.plan.filters?.find(
    (each) => each.connectionKey === connectionKey && each.collection === collection,
  )
  if (filter && !filter.all) throw unknown("their 'partition_filter' leaves rows out, which may be other people's")
  if (unheld.length > 0) throw unknown('one of these rows has a key that cannot be searched')
  const open = await context.connection(connectionKey, address ?? collection)
  const { connection, connector } = open
  if (!connection.countEach) throw unknown(`the connector for ${connector.type} cannot count them`)
  const unchanged = { fields, keys, positionsOf: (at: number) => [at], isInPart: false }
  const asked = live ? unchanged : askedKeys(fields, to, keys)
  if (asked.isInPart) throw unknown('their columns have another type')
  const state = entryState({ fields: asked.fields, when: reference.when, indexed: true })
  state.own = { keys: asked.keys, asked: [] }
  const references = { collection: referenced, columns: to.map(({ name }) => name) }
  const keyKinds = fields.map(({ kind }, part) => (kind === 'string' ? to[part]?.kind : undefined))
  const isConverted = !live && keyKinds.includes('integer')
  const counts = nextChunks([state], 0, connector.capabilities).map(
    ({ groups }): CountEach => ({
      ...{ collection, group: groups[0] as KeyGroup },
      ...(live && { references }),
      ...(isConverted && { keyKinds }),
    }),
  )
  return { open, counts, positionsOf: asked.positionsOf }
}
