import type { ForeignKey } from '@habeas/core'
import type { MemoryCollection, MemoryDatabase } from '@habeas/testkit'
import fc from 'fast-check'
import { parseDataset } from '../../../core/src/model/dataset.js'
import { type CollectionShape, type Shape, shapeArbitrary } from '../engine/random-world.js'
import { type DraftWorld, worldOf } from '../engine/world-of-shape.js'
import type { Live } from './naive-erasure.js'

/* Random worlds to erase in: those of the access, with rules of the database and words on each field and collection. */

const strategies = [
  'hash',
  'string_rewrite',
  'null_rewrite',
  'random_string_rewrite',
  'preserve',
  'read_only',
  'retain',
] as const
const word = fc.oneof(
  { weight: 8, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.constantFrom(...strategies) },
)
const extra = fc.record({
  how: fc.constantFrom('mask', 'mask', 'delete'),
  onShared: fc.constantFrom('retain', 'retain', 'retain', 'erase'),
  words: fc.array(word, { minLength: 7, maxLength: 7 }),
  textOnNumbers: fc.nat(20),
  onDelete: fc.constantFrom<ForeignKey['onDelete'][]>('no action', 'restrict', 'cascade', 'set null'),
  foreignKeys: fc.nat(3),
  notNull: fc.nat(2),
  check: fc.nat(9),
  hasLiveKey: fc.nat(5),
})

/** How many worlds a test makes; more, for a while, or the same again, where the environment says so. */
export function randomRuns(usual: number) {
  const { HABEAS_RUNS: runs, HABEAS_SECONDS: seconds, HABEAS_SEED: seed } = process.env
  return {
    numRuns: Number(runs ?? usual),
    ...(seconds && { interruptAfterTimeLimit: Number(seconds) * 1000, markInterruptAsFailure: false }),
    ...(seed && { seed: Number(seed) }),
  }
}

export const erasureArbitrary = fc.record({
  shape: shapeArbitrary,
  extras: fc.array(extra, { minLength: 6, maxLength: 6 }),
  maxErased: fc.constantFrom(1000, 1, 2, 3),
})
export type ErasureShape = typeof erasureArbitrary extends fc.Arbitrary<infer Each> ? Each : never
type Extra = ErasureShape['extras'][number]

/** Tables only, whose rows are what their keys say. */
function tidy(shape: Shape): Shape {
  const collections = shape.collections.map((collection): CollectionShape => {
    const rows = collection.tableRows.filter((row, at, all) =>
      collection.keys.every((key, number) => {
        const text = (each: typeof row) => JSON.stringify(key.map((name) => each[name as 'id']))
        const whole = key.every((name) => row[name as 'id'] !== null)
        if (number === 0 && !whole) return false
        return !whole || all.findIndex((each) => text(each) === text(row)) === at
      }),
    )
    return { ...collection, documents: false, tableRows: rows }
  })
  return { ...shape, collections }
}

const named = ['id', 'a', 'b', 'k', 's', 't', 'side']
const numbers = ['id', 'a', 'b']

/** The world with its rules; the rows of `model` are those of the databases. */
export function erasureWorldOf({ shape, extras }: ErasureShape) {
  const tidied = tidy(shape)
  const drafted = worldOf(tidied)
  const extraOf = (collection: string) => extras[Number(collection.slice(1)) % extras.length] as Extra
  const documents = drafted.documents.map((document) => ({
    ...document,
    collections: (document.collections as { name: string; service_meta: object; fields: Drafted[] }[]).map(
      (collection) => {
        const { how, onShared, words, textOnNumbers } = extraOf(collection.name)
        return {
          ...collection,
          service_meta: { ...collection.service_meta, erase: how, on_shared: onShared },
          fields: collection.fields.map((field) => {
            const word = words[named.indexOf(field.name)]
            const isNumber = numbers.includes(field.name) && textOnNumbers > 0
            return { ...field, service_meta: { ...field.service_meta, ...metaOf(word, isNumber) } }
          }),
        }
      },
    ),
  }))
  const live = new Map<string, MemoryCollection>()
  const databases = drafted.databases.map(({ type, database }, at) => {
    const ruled = withRules(database, extraOf, drafted.documents[at] as never)
    for (const [name, table] of Object.entries(ruled)) live.set(`${documents[at]?.service_key}:${name}`, table)
    return { type, database: ruled }
  })
  const databaseAt = (at: number) => databases[at]?.database ?? {}
  const datasets = drafted.model.datasets.map(({ tables }, at) => ({
    dataset: parseDataset(documents[at]).value,
    tables: Object.fromEntries(
      Object.entries(tables).map(([name, table]) => {
        const { primaryKey = [], uniqueKeys = [] } = databaseAt(at)[name] as MemoryCollection
        return [name, { ...table, keys: [primaryKey, ...uniqueKeys].filter((key) => key.length > 0) }]
      }),
    ),
  }))
  const world: DraftWorld = { documents, databases, model: { ...drafted.model, datasets } }
  return { shape: tidied, world, live: live as Live }
}

interface Drafted {
  readonly name: string
  readonly service_meta: Readonly<Record<string, unknown>> & {
    readonly references: readonly { dataset: string; field: string }[]
  }
}

function metaOf(word: Extra['words'][number], isNumber: boolean): object {
  if (word === undefined) return {}
  if (word === 'read_only') return { read_only: true }
  if (word === 'retain') return { retain: { reason: 'a law' } }
  if (word === 'string_rewrite')
    return isNumber ? {} : { masking_strategy: { strategy: word, configuration: { rewrite_value: 'x' } } }
  if ((word === 'hash' || word === 'random_string_rewrite') && isNumber) return {}
  return { masking_strategy: { strategy: word } }
}

/** What the rows already obey: not null, foreign keys, a check. */
function withRules(
  database: MemoryDatabase,
  extraOf: (name: string) => Extra,
  document: { service_key: string; collections: { name: string; fields: Drafted[] }[] },
): MemoryDatabase {
  return Object.fromEntries(
    Object.entries(database).map(([name, table]) => {
      const { notNull, check, onDelete, foreignKeys: wanted } = extraOf(name)
      const { primaryKey = [], rows } = table
      const columns = (table.columns ?? []).map((column) => {
        const isFull = rows.every((row) => row[column.name] !== null)
        return { ...column, nullable: !primaryKey.includes(column.name) && !(notNull === 0 && isFull) }
      })
      const fields = document.collections.find((each) => each.name === name)?.fields ?? []
      const foreignKeys = fields.flatMap((field): ForeignKey[] =>
        field.service_meta.references.flatMap(({ dataset, field: target }, at) => {
          const [collection, column] = target.split('.') as [string, string]
          const to = database[collection]
          if (wanted === 0 || dataset !== document.service_key || !to) return []
          const isKey = [to.primaryKey ?? [], ...(to.uniqueKeys ?? [])].some(
            (key) => key.length === 1 && key[0] === column,
          )
          const known = new Set(to.rows.map((row) => row[column]))
          const kind = (of: MemoryCollection, each: string) => of.columns?.find((one) => one.name === each)?.kind
          const fits = isKey && kind(table, field.name) === kind(to, column)
          if (!fits || !rows.every((row) => row[field.name] === null || known.has(row[field.name]))) return []
          if (onDelete === 'set null' && columns.find((each) => each.name === field.name)?.nullable !== true) return []
          return [
            {
              name: `${name}_${field.name}_${at}`,
              columns: [field.name],
              onDelete,
              references: { collection, columns: [column] },
            },
          ]
        }),
      )
      const checks = [{ name: 'has_t', holds: (row: { readonly [name: string]: unknown }) => row['t'] !== 'x' }]
      const rule = check === 0 && rows.every((row) => row['t'] !== 'x') ? { checks } : {}
      return [name, { ...table, columns, foreignKeys, ...rule }]
    }),
  )
}
