import type { Catalogue, CatalogueCollection } from '@habeas/core'
import type { Db, Document } from 'mongodb'
import { decodedDocument } from './decoded-document.js'
import type { KindOf } from './key-filter.js'
import { columnsOf, encrypts, isEncrypted, outlineOf } from './sampled-columns.js'
import { isView, type ListedCollection, shownCollections } from './shown-collections.js'
import { hasNestedList, isDocument, storedMember } from './stored-document.js'

/** A collection as it is now. */
export interface LiveCollection {
  readonly catalogue: CatalogueCollection
  readonly kindOf: KindOf
  /** True where its validator allows no other columns. */
  readonly closed: boolean
  /** Why no document of it can be changed, for people. */
  readonly unwritable?: string
  /** The names of its indexes, by which a refusal may name one. */
  readonly indexNames: readonly string[]
  /** How it compares text unless told otherwise. Absent: byte for byte. */
  readonly collation?: Document
}

/** What is asked of the server. Options of each call, such as a time limit. */
export interface DescribeOptions {
  readonly sampleSize: number
  readonly maxTimeMS: number
  /** Collections that hold what the connector itself writes. */
  readonly own: string
  /** Documents of a sharded collection may have one `_id`. */
  readonly sharded: boolean
  readonly signal?: AbortSignal | undefined
}

/** Some documents more than this make a search without an index long. */
const largeFrom = 10_000

/** The collection of this name. Undefined where there is none. */
export async function liveCollection(
  db: Db,
  name: string,
  options: DescribeOptions,
): Promise<LiveCollection | undefined> {
  const [info] = await db.listCollections({ name }, limitsOf(options)).toArray()
  if (!info) return undefined
  const listed = isView(info) ? await db.listCollections({}, limitsOf(options)).toArray() : []
  return describedCollection(db, info, listed, options)
}

/** Every collection and view, those of the server left out. */
export async function liveCollections(db: Db, options: DescribeOptions): Promise<LiveCollection[]> {
  const infos = await db.listCollections({}, limitsOf(options)).toArray()
  const named = infos.filter(({ name }) => !name.startsWith('system.') && name !== options.own)
  named.sort((one, other) => (one.name < other.name ? -1 : 1))
  const found: LiveCollection[] = []
  for (const info of named) found.push(await describedCollection(db, info, infos, options))
  return found
}

export function catalogueOf(collections: readonly LiveCollection[]): Catalogue {
  return { collections: collections.map(({ catalogue }) => catalogue) }
}

function limitsOf({ maxTimeMS, signal }: DescribeOptions): { maxTimeMS: number; signal?: AbortSignal } {
  return { maxTimeMS, ...(signal && { signal }) }
}

async function describedCollection(
  db: Db,
  info: ListedCollection,
  listed: readonly ListedCollection[],
  options: DescribeOptions,
): Promise<LiveCollection> {
  const { name, options: of = {} } = info
  const isShown = isView(info)
  const isSeries = info.type === 'timeseries' || isDocument(of['timeseries'])
  const isStored = !isShown && !isSeries
  const sample = await sampleOf(db, name, isStored, options)
  const { columns, closed } = columnsOf(of['validator'], sample)
  const indexes = isStored ? await db.collection(name).indexes({ maxTimeMS: options.maxTimeMS }) : []
  const lists = new Set(columns.flatMap((column) => (column.array || column.kind === 'object' ? [column.name] : [])))
  const hides = isDocument(of['encryptedFields']) || encrypts(of['validator']) || sample.some(isEncrypted)
  const count = isStored ? await db.collection(name).estimatedDocumentCount({ maxTimeMS: options.maxTimeMS }) : 0
  const kinds = new Map(columns.map((column) => [column.name, column.kind]))
  const nested = new Set(
    [...kinds.keys()].filter((column) => sample.some((document) => hasNestedList(storedMember(document, column)))),
  )
  const nullOnce = nullOnceOf(indexes)
  const collation = isFolding(of['collation']) ? of['collation'] : undefined
  const unwritable = unwritableReason(name, { isView: isShown, isSeries, isCapped: of['capped'] === true })
  return {
    catalogue: {
      name,
      columns,
      schemaless: !closed,
      sampled: sample.length,
      primaryKey: ['_id'],
      uniqueKeys: uniqueKeysOf(indexes).filter((key) => key.every((column) => !lists.has(column))),
      ...(nullOnce.length > 0 && { nullOnce }),
      ...(options.sharded && { keysEnforced: false as const }),
      foreignKeys: [],
      ...(isShown && { view: { writable: false, shows: shownCollections(info, listed) } }),
      ...(unwritable !== undefined && !isShown && { unwritable }),
      ...(hides && { hidesRows: true as const }),
      ...(count > largeFrom && { large: true as const }),
      indexes: indexes
        .filter((index) => isWhole(index) && isSameOrder(index, collation))
        .map(({ key }) => Object.keys(key)),
    },
    kindOf: Object.assign((column: string) => kinds.get(column), { nested, columns }),
    closed,
    indexNames: indexes.flatMap(({ name }) => name ?? []),
    ...(collation && { collation }),
    ...(unwritable !== undefined && { unwritable }),
  }
}

function unwritableReason(
  name: string,
  { isView, isSeries, isCapped }: Readonly<Record<'isView' | 'isSeries' | 'isCapped', boolean>>,
): string | undefined {
  if (isView) return `"${name}" is a view: erase in the collections that it shows.`
  if (isSeries)
    return `"${name}" is a time-series collection, whose documents cannot be changed one by one: let them expire, or delete them by hand.`
  return isCapped
    ? `"${name}" is a capped collection, whose documents keep their size and leave by age alone: copy it into one that is not.`
    : undefined
}

/**
 * Some documents at random, and the first and last by `_id`: keys are ordered by type, so these two tell whether all have
 * one type.
 */
async function sampleOf(db: Db, name: string, isStored: boolean, options: DescribeOptions): Promise<Document[]> {
  const { sampleSize: size } = options
  const how = { raw: true, batchSize: size, ...limitsOf(options) }
  const collection = db.collection(name)
  if (!isStored) return outlines(collection.find({}, { ...how, limit: size }))
  // servers before 6.0 refuse to sort a sample of large documents in memory
  const sampling = collection.aggregate<Document>([{ $sample: { size } }], { ...how, allowDiskUse: true })
  const sample = await outlines(sampling)
  if (sample.length < size) return sample
  for (const order of [1, -1] as const) {
    sample.push(...(await outlines(collection.find({}, { ...how, limit: 1 }).sort({ _id: order }))))
  }
  return sample
}

/** What is derived from documents, without the documents: answers of 16 MB come one after the other. */
async function outlines(documents: AsyncIterable<unknown>): Promise<Document[]> {
  const found: Document[] = []
  for await (const stored of documents) {
    found.push(outlineOf(decodedDocument(stored as Uint8Array, true)) as Document)
  }
  return found
}

type Index = Awaited<ReturnType<ReturnType<Db['collection']>['indexes']>>[number]

/** Serves a search for any value by equality. */
function isWhole({ key, partialFilterExpression }: Index): boolean {
  const names = Object.entries(key)
  return !partialFilterExpression && names.every(([name, by]) => by !== 'text' && !name.includes('$**'))
}

function isFolding(collation: unknown): collation is Document {
  return isDocument(collation) && collation['locale'] !== 'simple'
}

/** Whether an index orders texts as the collection compares them, without which it finds none. */
function isSameOrder({ collation: own }: Index, collation: Document | undefined): boolean {
  return isFolding(own)
    ? own['locale'] === collation?.['locale'] && own['strength'] === collation?.['strength']
    : collation === undefined
}

function uniqueKeysOf(indexes: readonly Index[]): string[][] {
  return indexes
    .filter(({ unique, sparse, partialFilterExpression }) => unique && !sparse && !partialFilterExpression)
    .map(({ key }) => Object.keys(key))
    .filter((key) => key.every((column) => !column.includes('.')))
}

/**
 * Paths of unique indexes over one field. MongoDB's take null for a value, and sparse ones as well, which leave out
 * documents without the field alone: an erasure that writes null to two documents would be refused in its middle. Null in
 * the place of an object or a list takes the field away, which is null to an index that leaves no document out.
 */
function nullOnceOf(indexes: readonly Index[]): string[][] {
  return indexes.flatMap(({ key, unique, sparse, partialFilterExpression }) => {
    const [name, ...others] = Object.keys(key)
    if (!unique || name === undefined || name === '_id' || others.length > 0) return []
    const path = name.split('.')
    if (!sparse && !partialFilterExpression) return path.map((_, at) => path.slice(0, at + 1))
    const condition: unknown = partialFilterExpression?.[name]
    // most other conditions leave null out
    const meetsNull = condition === undefined || (isDocument(condition) && Object.keys(condition).join() === '$exists')
    return meetsNull ? [path] : []
  })
}
