import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'tsup'
import { parseDataset } from '../../packages/core/src/model/dataset.js'
import type * as Planning from '../../packages/core/src/rules/plan/access-plan.js'
import { median, milliseconds } from '../measurement.js'

const collectionsPerDataset = 100
const fieldsPerCollection = 10

/** Median milliseconds of planning over graphs of these sizes, taken in turn. */
export async function planning(sizes: readonly number[], rounds: number): Promise<readonly number[]> {
  const { accessPlan } = await released()
  const inputs = sizes.map(graph)
  const times = sizes.map(() => [] as number[])
  for (let round = -1; round < rounds; round++) {
    for (const [at, input] of inputs.entries()) {
      const took = await milliseconds(async () => expectAll(accessPlan(input), sizes[at] as number))
      // the first round is for warming up
      if (round >= 0) times[at]?.push(took)
    }
  }
  return times.map(median)
}

/** Planning as a release has it: what runs the benchmarks names each function as it is made, a tenth of the time. */
async function released(): Promise<typeof Planning> {
  const outDir = await mkdtemp(join(tmpdir(), 'habeas-planning-'))
  const entry = {
    planning: fileURLToPath(new URL('../../packages/core/src/rules/plan/access-plan.ts', import.meta.url)),
  }
  try {
    await build({
      entry,
      outDir,
      format: 'esm',
      target: 'node20',
      config: false,
      silent: true,
      noExternal: [/./],
      outExtension: () => ({ js: '.mjs' }),
    })
    return await import(pathToFileURL(join(outDir, 'planning.mjs')).href)
  } finally {
    await rm(outDir, { recursive: true })
  }
}

function expectAll(plan: ReturnType<typeof Planning.accessPlan>, size: number): void {
  if (plan.collections.length !== size)
    throw new Error(`The plan has ${plan.collections.length} of ${size} collections.`)
}

/**
 * A tree of collections, each with a second reference to some other one, every 50th with one to itself: over several
 * datasets, with the catalogue behind each, and entered by an identity here and there.
 */
function graph(size: number): Parameters<typeof Planning.accessPlan>[0] {
  const place = (index: number) => ({
    dataset: `dataset_${Math.floor(index / collectionsPerDataset)}`,
    collection: `collection_${index}`,
  })
  const reference = (index: number) => {
    const { dataset, collection } = place(index)
    return { dataset, field: `${collection}.id`, direction: 'from' }
  }
  const field = (name: string, meta: object = {}) => ({ name, data_categories: ['user.observed'], service_meta: meta })
  const collectionOf = (index: number) => ({
    name: place(index).collection,
    fields: [
      field('id', { primary_key: true }),
      field('parent_id', index > 0 ? { references: [reference(Math.floor((index - 1) / 4))] } : {}),
      field('other_id', index > 1 ? { references: [reference((index * 7919) % index)] } : {}),
      field('previous_id', index % 50 === 7 ? { references: [reference(index)] } : {}),
      field('email', index % 500 === 0 ? { identity: 'email' } : {}),
      ...Array.from({ length: fieldsPerCollection - 5 }, (_, at) => field(`note_${at}`)),
    ],
  })
  const catalogueOf = ({ name, fields }: ReturnType<typeof collectionOf>) => ({
    name,
    columns: fields.map((each) => ({
      name: each.name,
      type: 'integer',
      kind: each.name.endsWith('id') ? ('integer' as const) : ('string' as const),
      nullable: true,
    })),
    primaryKey: ['id'],
    uniqueKeys: [],
    foreignKeys: [],
    indexes: [['id'], ['parent_id'], ['other_id'], ['previous_id'], ['email']],
  })
  const datasets = Array.from({ length: Math.ceil(size / collectionsPerDataset) }, (_, number) => {
    const from = number * collectionsPerDataset
    const length = Math.min(collectionsPerDataset, size - from)
    const collections = Array.from({ length }, (_, at) => collectionOf(from + at))
    const { value: dataset } = parseDataset({
      service_key: `dataset_${number}`,
      name: `Dataset ${number}`,
      collections,
    })
    const catalogue = { collections: collections.map(catalogueOf) }
    return { dataset, catalogue, connection: { key: `connection_${number}`, disabled: false } }
  })
  return { datasets, identities: [['email']], targets: () => ['rule'] }
}
