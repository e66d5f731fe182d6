import { expect } from 'vitest'
import { fieldMaskingSchema, ruleMaskingSchema } from '../../src/model/masking-strategy.js'
import { parsePolicy } from '../../src/model/policy.js'
import type { Value } from '../../src/model/value.js'
import { erasurePlan } from '../../src/rules/erase/erasure-plan.js'
import { masker } from '../../src/rules/erase/masker.js'
import { rowEraser } from '../../src/rules/erase/row-eraser.js'
import type { CollectionNode } from '../../src/rules/plan/collection-node.js'
import { datasetGraph } from '../../src/rules/plan/dataset-graph.js'
import type { PlannedErasure, PlannedMask } from '../../src/rules/plan/plan.js'
import { erasureTargets } from '../../src/rules/policy/targets.js'
import { type Case, type Json, readValue } from './bank.js'
import { type DatabaseInput, databasesOf, memoryConnectorOf } from './databases.js'
import { type DatasetInput, describedDatasets, neutralDatasets } from './datasets.js'
import { maskWith, type Secrets } from './masking.js'

interface Input extends DatasetInput, DatabaseInput {
  readonly dataset_ref?: string
  readonly collection?: string
  readonly row?: Json
  readonly rules?: readonly {
    readonly targets: readonly string[]
    readonly strategy: string
    readonly configuration: Json
  }[]
  readonly secrets?: Readonly<Record<string, Secrets>> | null
  readonly runs?: readonly { readonly collection: string; readonly target: string }[]
  /** Categories that a field has beside those of the dataset. */
  readonly categories?: Readonly<Record<string, readonly string[]>>
}

interface Expected {
  readonly set?: Readonly<Record<string, unknown>>
  readonly where?: Json
  readonly retained?: readonly string[]
  readonly paths?: readonly (readonly string[])[]
  readonly impossible?: readonly string[]
}

/** What one row becomes, told by the pure rules from a live table and the secrets that the case fixes. */
export async function checkUpdateMap({ input, expected }: Case<Input, Expected>): Promise<void> {
  for (const [at, { collection, target }] of (input.runs ?? []).entries()) {
    const { erasure } = await planned({ ...input, rules: [{ targets: [target], ...nothing }] }, `:${collection}`)
    const paths = erasure.targeted.map((path) => path.join('.'))
    expect(paths.sort(), target).toEqual([...(expected.paths?.[at] ?? [])].sort())
  }
  if (!input.row || input.collection === undefined) return
  const { node, erasure, impossible } = await planned(input, input.collection)
  expect(impossible).toEqual(expected.impossible ?? [])
  const columns = [...new Set([...node.fields.values()].map(({ path }) => path[0] as string))]
  const columnsRead = [...new Set([...columns, ...Object.keys(input.row)])]
  const collection = { address: node.address, columns: columnsRead, erasure }
  const row = columnsRead.map((column) => readValue((input.row as Json)[column]))
  const eraser = rowEraser(collection, { masker: (mask) => fixedMasker(mask, input), now: '2022-01-01T00:00:00.000Z' })
  const decision = eraser({ row, leftOut: [] })
  const changes = decision.kind === 'mask' ? decision.changes.filter(({ differs }) => differs) : []
  const set = Object.fromEntries(changes.map(({ column, becomes }) => [column, becomes]))
  expect(set).toEqual(expectedSet(expected.set ?? {}))
  if (expected.where) expect(decision).toMatchObject({ key: Object.values(expected.where) })
  for (const field of expected.retained ?? []) expect(erasure.retained.map((each) => each.field)).toContain(field)
}

const nothing = { strategy: 'null_rewrite', configuration: {} }

function expectedSet(set: Readonly<Record<string, unknown>>): object {
  const values = Object.entries(set).map(([column, value]) => {
    const { matches } = (value ?? {}) as { readonly matches?: string }
    return [column, matches === undefined ? readValue(value) : expect.stringMatching(new RegExp(matches))]
  })
  return Object.fromEntries(values)
}

async function planned(input: Input, address: string) {
  const given: Input = { ...input, ...(input.dataset_ref !== undefined && { datasets_ref: input.dataset_ref }) }
  const neutral = neutralDatasets(given).map((dataset) => ({
    ...dataset,
    collections: dataset.collections.map((each) => withCategories(each, `${dataset.key}:${each['name']}`, input)),
  }))
  const databases = databasesOf(given, neutral)
  const datasets = await Promise.all(
    describedDatasets({ datasets: neutral }).map(async (each) => {
      const database = databases.get(each.dataset.service_key)
      if (!database || database.tables.size === 0) return each
      const connection = await memoryConnectorOf('memory', database).connect({})
      return { ...each, catalogue: await connection.describe() }
    }),
  )
  const rules = (input.rules ?? []).map(({ targets, strategy, configuration }, at) => ({
    service_key: `rule_${at}`,
    action_type: 'erasure',
    data_categories: { matches: 'ANY', values: targets },
    masking_strategy: ruleMaskingSchema.parse({ strategy, configuration }),
  }))
  const policy = parsePolicy({ service_key: 'erase', rules }).value
  const none = new Map<string, never>()
  const links = { dataCategories: none, dataUses: none, dataSubjects: none, dataQualifiers: none }
  const targets = erasureTargets(policy, [], links)?.targets ?? (() => undefined)
  const graph = datasetGraph(datasets)
  const connections = new Map(
    datasets.flatMap(({ connection, ...rest }) =>
      connection
        ? [[connection.key, { access: 'write' as const, ...('catalogue' in rest && { catalogue: rest.catalogue }) }]]
        : [],
    ),
  )
  const { erasures, findings } = erasurePlan(graph, targets, connections, {
    pointedTo: new Set(),
    withoutErasure: new Map(),
    owned: new Set(),
  })
  const node = [...graph.nodes.values()].find((each) => each.address.endsWith(address)) as CollectionNode
  const impossible = findings.flatMap(({ severity, loc }) =>
    severity === 'error' && loc[1] === node.collection.name ? [String(loc[2])] : [],
  )
  return { node, erasure: erasures.get(node.address) as PlannedErasure, impossible }
}

function withCategories(collection: Json, address: string, { collection: wanted, categories = {} }: Input): Json {
  if (address !== wanted) return collection
  const fields = (collection['fields'] as readonly Json[]).map((field) => {
    const further = categories[field['name'] as string]
    return further ? { ...field, data_categories: further } : field
  })
  return { ...collection, fields }
}

/** The masker, but for the salts and keys that a case gives outright. */
function fixedMasker({ strategy, maxLength }: PlannedMask, { secrets }: Input) {
  const made = masker(strategy, {
    secret: new Uint8Array(32).fill(1),
    ...(maxLength !== undefined && { maxLength }),
  })
  const given = secrets?.[strategy.strategy]
  if (!given) return made
  const mask = (value: Value): Value => {
    const masked = maskWith(fieldMaskingSchema.parse(strategy), given, value, '')
    return typeof masked === 'string' ? masked.slice(0, maxLength) : masked
  }
  return { ...made, mask }
}
