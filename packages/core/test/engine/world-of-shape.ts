import type { ValueKind } from '@habeas/core'
import { type MemoryConnector, type MemoryDatabase, memoryConnector } from '@habeas/testkit'
import {
  type CollectionShape,
  type FieldShape,
  pathsOf,
  type ReferenceShape,
  type Shape,
  shapesOf,
} from './random-world.js'

interface DraftField {
  readonly name: string
  readonly data_categories: readonly string[]
  readonly service_meta: Record<string, unknown> & { references: object[] }
  readonly fields: readonly DraftField[]
}

export interface DraftWorld {
  readonly documents: readonly { readonly service_key: string; readonly collections: readonly object[] }[]
  readonly databases: readonly { readonly type: 'postgres' | 'mongodb'; readonly database: MemoryDatabase }[]
}

/** One consistent world of whatever was drawn. Indices are taken modulo what there is. */
export function worldOf(shape: Shape): DraftWorld {
  const places = shape.collections.map((collection, at) => ({
    collection,
    name: `c${at}`,
    dataset: `${collection.documents ? 'mongo' : 'pg'}${collection.dataset}`,
    fields: fieldsOf(collection, at),
  }))
  type Placed = (typeof places)[number]
  const refer = (given: ReferenceShape, at: number, from: Placed, to: Placed) => {
    const [inside, first, second] = [from === to, ...twoPaths(from.collection, given.from)]
    const [other, otherSecond] = twoPaths(to.collection, given.to)
    const { direction } = given
    const group = given.composite === 0 && first !== second && other !== otherSecond ? `g${at}` : undefined
    const meta = {
      ...(direction && { direction }),
      ...(group && { group }),
      ...(given.when && { when: { side: given.when } }),
    }
    const add = (one: Placed, name: string, two: Placed, path: string, more: object) =>
      fieldAt(one.fields, name).service_meta.references.push({
        dataset: two.dataset,
        field: `${two.name}.${path}`,
        ...more,
      })
    add(from, first, to, other, meta)
    if (group) add(from, second, to, otherSecond, meta)
    if (given.mirrored === 0 && !direction && !group && !given.when && !inside) add(to, other, from, first, {})
  }
  for (const [at, to] of places.entries()) {
    const given = shape.spanning[at - 1]
    if (given) {
      const from = places[given.from.at % at] as Placed
      refer(given.direction === 'from' ? { ...given, direction: 'to' } : given, at, from, to)
    }
  }
  for (const [at, given] of shape.references.entries()) {
    refer(
      given,
      at + 10,
      places[given.from.at % places.length] as Placed,
      places[given.to.at % places.length] as Placed,
    )
  }
  const keys = [...new Set(places.map(({ dataset }) => dataset))]
  const inside = (key: string) => places.filter(({ dataset }) => dataset === key)
  const documents = keys.map((key) => ({
    service_key: key,
    collections: inside(key).map(({ name, collection, fields }, at) => ({
      name,
      fields,
      service_meta: {
        others: collection.others === 0,
        skip_processing: collection.skip && collection.others === 1 && at > 0,
      },
    })),
  }))
  const databases = keys.map((key) => ({
    type: key.startsWith('mongo') ? ('mongodb' as const) : ('postgres' as const),
    database: Object.fromEntries(inside(key).map(({ name, collection }) => [name, tableOf(collection)])),
  }))
  return { documents, databases }
}

export function connectorsOf(shape: Shape, { documents, databases }: DraftWorld) {
  return documents.map((document, at) => {
    const { type, database } = databases[at] as DraftWorld['databases'][number]
    const { batchSize, maxKeys, maxKeysWithoutIndex, loose } = shape
    const capabilities = { maxKeys, ...(maxKeysWithoutIndex && { maxKeysWithoutIndex }) }
    const connector: MemoryConnector = memoryConnector({ type, database, batchSize, loose, capabilities })
    return { document, connector }
  })
}

function tableOf({ documents, keys, tableRows, documentRows }: CollectionShape): MemoryDatabase[string] {
  const [primaryKey = [], ...uniqueKeys] = keys
  if (documents) return { schemaless: true, columns: [], primaryKey, uniqueKeys, rows: documentRows as never }
  const columns = shapesOf(false).map(({ name, type }) => ({
    name,
    kind: type as ValueKind,
    nullable: tableRows.some((row) => row[name as keyof typeof row] === null),
  }))
  return { columns, primaryKey, uniqueKeys, rows: tableRows as never }
}

function fieldsOf(collection: CollectionShape, at: number): DraftField[] {
  const { documents, email, phone, caseInsensitive, placeholders, untargeted, allElements } = collection
  const emails = at === 0 && email === 'none' ? ['s'] : email === 'both' ? ['s', 'k'] : [email]
  const phones = documents && phone === 't' ? ['items.n'] : [phone]
  const draft = ({ name, type, fields = [] }: FieldShape, above: string): DraftField => {
    const path = above + name
    const every = allElements === 0 && type?.endsWith('[]') === true
    return {
      name,
      data_categories:
        untargeted === 0 || (untargeted === 1 && ['k', 'n', 'x'].includes(name)) || fields.length > 0 ? [] : ['user'],
      service_meta: {
        references: [],
        ...(type && documents && { data_type: type }),
        ...(emails.includes(path) && { identity: 'email' }),
        ...(phones.includes(path) && { identity: 'phone' }),
        ...(caseInsensitive && ['s', 'n'].includes(name) && { case_insensitive: true }),
        ...(['a', 'k', 'ref'].includes(name) && { placeholders }),
        ...(every && { return_all_elements: true }),
      },
      fields: fields.map((field) => draft(field, `${path}.`)),
    }
  }
  return shapesOf(documents).map((field) => draft(field, ''))
}

function fieldAt(fields: readonly DraftField[], path: string): DraftField {
  const [first, ...rest] = path.split('.')
  const field = fields.find(({ name }) => name === first) as DraftField
  return rest.length === 0 ? field : fieldAt(field.fields, rest.join('.'))
}

function twoPaths({ documents }: CollectionShape, { first, second }: ReferenceShape['from']): [string, string] {
  const paths = pathsOf(documents)
  return [paths[first % paths.length] as string, paths[second % paths.length] as string]
}
