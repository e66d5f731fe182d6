import type { Value } from '@habeas/core'
import type { MemoryCollection, MemoryDatabase } from '@habeas/testkit'
import fc from 'fast-check'
import { parseDataset } from '../../../core/src/model/dataset.js'
import { type CollectionShape, type Shape, shapeArbitrary } from '../engine/random-world.js'
import { type DraftWorld, worldOf } from '../engine/world-of-shape.js'
import { metaOf, reasons, wordArbitrary } from './field-words.js'
import { type Link, rulesArbitrary, tableOfDocuments, undescribedArbitrary, withRules } from './live-rules.js'
import type { ErasureWorld } from './naive-erasure.js'
import { covers, policyArbitrary, policyOf, spokenRules } from './random-policy.js'

/* Random worlds to erase in: those of the access, with rules of the database and words on each field and collection. */

const extra = fc.record({
  how: fc.constantFrom('mask', 'mask', 'mask', 'delete', 'delete', undefined),
  onShared: fc.constantFrom('retain', 'retain', 'retain', 'erase'),
  words: fc.array(wordArbitrary, { minLength: 15, maxLength: 15 }),
  anywhere: fc.nat(20),
  rules: rulesArbitrary,
  /** Of a collection without a live key. */
  declaresKey: fc.boolean(),
  declaredLength: fc.constantFrom(undefined, undefined, undefined, 10),
  retain: fc.constantFrom(
    ...Array.from({ length: 16 }, () => undefined),
    ...(['retain', 'retain_past', 'retain_future', 'retain_since'] as const),
  ),
  eraseAfter: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(5) }),
  inherits: fc.nat(6),
  /** Whether the computed column may only be read. */
  readsYear: fc.boolean(),
})

/** The usual run makes the same worlds each time, so that a change is told by what it changes; longer ones make others. */
const usualSeed = 20_261_122

/**
 * How many worlds a test makes; more, for a while, or the same again, where the environment says so. `HABEAS_SHRINK=0`
 * shows the first world that fails as it is, since to make it small takes longer than to find it.
 */
export function randomRuns(usual: number) {
  const { HABEAS_RUNS: runs, HABEAS_SECONDS: seconds, HABEAS_SEED: seed, HABEAS_PATH: path } = process.env
  return {
    numRuns: Number(runs ?? usual),
    ...(seconds && { interruptAfterTimeLimit: Number(seconds) * 1000, markInterruptAsFailure: false }),
    ...((seed || !runs) && { seed: Number(seed ?? usualSeed) }),
    ...(path && { path }),
    ...(process.env['HABEAS_SHRINK'] === '0' && { endOnFailure: true }),
  }
}

export const erasureArbitrary = fc.record({
  shape: shapeArbitrary,
  extras: fc.array(extra, { minLength: 6, maxLength: 6 }),
  policy: policyArbitrary,
  readOnly: fc.nat(12),
  documents: fc.constantFrom('none', 'tables', 'as they are'),
  undescribed: undescribedArbitrary,
  maxErased: fc.constantFrom(1000, 1, 2, 3),
})
export type ErasureShape = typeof erasureArbitrary extends fc.Arbitrary<infer Each> ? Each : never
type Extra = ErasureShape['extras'][number]

/** Rows that are what their keys say; documents only where they are wanted. */
function tidy(shape: Shape, documents: boolean): Shape {
  const collections = shape.collections.map((collection): CollectionShape => {
    const named = <Row extends object>(rows: readonly Row[]): Row[] =>
      collection.keys.reduce<Row[]>(
        (left, key, number) => {
          const parts = (row: Row) => key.map((name) => (row as Record<string, Value>)[name] ?? null)
          const text = (row: Row) => JSON.stringify(parts(row))
          return left.filter((row, at, all) => {
            if (parts(row).includes(null)) return number > 0
            return all.findIndex((each) => text(each) === text(row)) === at
          })
        },
        [...rows],
      )
    return {
      ...collection,
      documents: collection.documents && documents,
      tableRows: named(collection.tableRows),
      documentRows: named(collection.documentRows),
    }
  })
  return { ...shape, collections }
}

const paths = [
  ...['id', 'a', 'b', 'k', 's', 't', 'side', 'list'],
  ...['items', 'items.ref', 'items.n', 'items.inner', 'nest', 'nest.x', 'nest.y'],
]
const textPaths = ['k', 's', 't', 'side', 'items.n', 'nest.y']

/** The world with its rules; the rows of `model` are those of the databases. On `tables`, documents are columns of JSON. */
export function erasureWorldOf(given: ErasureShape, tables = given.documents === 'tables'): ErasureWorld {
  const { extras, undescribed } = given
  const { rules, delivers } = given.policy
  const shape = tidy(given.shape, given.documents !== 'none')
  const drafted = worldOf(shape)
  const extraOf = (collection: string) => extras[Number(collection.slice(1)) % extras.length] as Extra
  const addresses = drafted.documents.flatMap(({ service_key: key, collections }) =>
    (collections as Drafted[]).map(({ name }) => `${key}:${name}`),
  )
  const liveOf = drafted.databases.map(({ database, type }, at) => {
    const columned = Object.fromEntries(
      Object.entries(database).map(([name, table]) => [
        name,
        type === 'mongodb' && tables ? tableOfDocuments(table) : table,
      ]),
    )
    const document = drafted.documents[at] as { service_key: string; collections: Drafted[] }
    const links = (name: string) => linksOf(document, name)
    return withRules(columned, (name) => extraOf(name).rules, links, at === 0 ? undescribed : null)
  })
  const documents = drafted.documents.map((document, at) => ({
    ...document,
    collections: (document.collections as Drafted[]).map((collection) => {
      const { how, onShared, words, anywhere, declaresKey, declaredLength, retain, eraseAfter, inherits, readsYear } =
        extraOf(collection.name)
      const {
        primaryKey = [],
        uniqueKeys = [],
        columns = [],
      } = (liveOf[at] as MemoryDatabase)[collection.name] as MemoryCollection
      const isUnkeyed = [primaryKey, ...uniqueKeys].every((key) => key.length === 0)
      const isComputed = columns.some(({ generated }) => generated)
      const fieldOf = (field: DraftedField, above: string): object => {
        const path = above + field.name
        const holdsText = textPaths.includes(path)
        const isTargeted = field.data_categories.length > 0
        const category = holdsText ? 'user.text' : 'user.number'
        return {
          ...field,
          data_categories: isTargeted && !(inherits === 0 && ['s', 'a', 'k'].includes(field.name)) ? [category] : [],
          service_meta: {
            ...field.service_meta,
            ...metaOf(words[paths.indexOf(path)], holdsText, anywhere === 0),
            ...(path === 't' && declaredLength !== undefined && { length: declaredLength }),
            ...(path === 'id' && isUnkeyed && declaresKey && { primary_key: true }),
          },
          fields: field.fields.map((inner) => fieldOf(inner, `${path}.`)),
        }
      }
      const after = eraseAfter === undefined ? undefined : addresses[eraseAfter % addresses.length]
      return {
        ...collection,
        data_categories: inherits <= 1 ? ['user.text'] : [],
        service_meta: {
          ...collection.service_meta,
          ...(how && { erase: how }),
          ...(after !== undefined && { erase_after: [after] }),
          ...(retain && { retain: reasons[retain] }),
          on_shared: onShared,
        },
        fields: [
          ...collection.fields.map((field) => fieldOf(field, '')),
          { name: 'since', data_categories: [], service_meta: { read_only: isComputed } },
          ...(isComputed
            ? [{ name: 'year', data_categories: ['user.number'], service_meta: { read_only: readsYear } }]
            : []),
        ],
      }
    }),
  }))
  const types = drafted.databases.map(({ type }) => (tables ? ('postgres' as const) : type))
  const world: DraftWorld = {
    documents,
    databases: liveOf.map((database, at) => ({ type: types[at] as 'postgres', database })),
    model: {
      ...drafted.model,
      datasets: documents.map((document, at) => modelOf(document, liveOf[at] ?? {})),
      asksFor: (categories) =>
        rules.some(([value]) => covers(value, categories)) || (delivers !== undefined && covers(delivers, categories)),
      delivers: (categories) => delivers !== undefined && covers(delivers, categories),
    },
  }
  const access = documents.map((_, at) => (at === given.readOnly ? ('read' as const) : ('write' as const)))
  return {
    ...{ shape, world, access, maxErased: given.maxErased },
    live: new Map(
      documents.flatMap(({ service_key: key }, at) =>
        Object.entries(liveOf[at] ?? {}).map(([name, table]) => [`${key}:${name}`, table]),
      ),
    ),
    readOnly: new Set(documents.flatMap(({ service_key: key }, at) => (at === given.readOnly ? [key] : []))),
    rules: spokenRules(given.policy),
    policy: policyOf(given.policy),
  }
}

interface DraftedField {
  readonly name: string
  readonly data_categories: readonly string[]
  readonly service_meta: Readonly<Record<string, unknown>> & {
    readonly references: readonly { dataset: string; field: string; group?: string }[]
  }
  readonly fields: readonly DraftedField[]
}

interface Drafted {
  readonly name: string
  readonly service_meta: object
  readonly fields: readonly DraftedField[]
}

/** What a live foreign key might say as well: references to the same database, those of a group as one. */
function linksOf(document: { service_key: string; collections: readonly Drafted[] }, name: string): Link[] {
  const links = new Map<string, { columns: string[]; collection: string; references: string[] }>()
  for (const field of document.collections.find((each) => each.name === name)?.fields ?? []) {
    for (const [at, { dataset, field: target, group }] of field.service_meta.references.entries()) {
      const [collection, column, ...nested] = target.split('.') as [string, string]
      if (dataset !== document.service_key || nested.length > 0) continue
      const id = group === undefined ? `${field.name} ${at}` : `${group} ${collection}`
      const link = links.get(id) ?? { columns: [], collection, references: [] }
      link.columns.push(field.name)
      link.references.push(column)
      links.set(id, link)
    }
  }
  return [...links.values()]
}

function modelOf(document: object, database: { readonly [name: string]: MemoryCollection }) {
  const dataset = parseDataset(document).value
  return {
    dataset,
    tables: Object.fromEntries(
      dataset.collections.map((collection) => {
        const { primaryKey = [], uniqueKeys = [], columns = [], rows } = database[collection.name] as MemoryCollection
        const live = [primaryKey, ...uniqueKeys].filter((key) => key.length > 0)
        const declared = collection.fields.filter(({ service_meta: meta }) => meta.primary_key).map(({ name }) => name)
        const kinds = columns.flatMap(({ name, kind }) => (kind && kind !== 'object' ? [[name, kind]] : []))
        const keys = live.length === 0 && declared.length > 0 ? [declared] : live
        return [collection.name, { rows, keys, kinds: Object.fromEntries(kinds) }]
      }),
    ),
  }
}
