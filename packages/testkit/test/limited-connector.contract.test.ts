import { defineConnector } from '@habeas/core'
import { connectorContract, type EraseUnderTest, type Fixture } from '@habeas/testkit'
import { describe, it } from 'vitest'
import * as z from 'zod'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { foundOut } from './failing-cases.js'
import { type Fault, limitedConnector, limits, openLimited } from './limited-source.js'

describe('a source that answers few questions', () =>
  connectorContract(it, openLimited(), { ...limits, erasing: openLimited() }))

const page = new URL('../../../docs/connectors.md', import.meta.url)
const example = (await readmeExamples(page)).find((each) => each.includes('connectorContract(')) as string

describe('the example of the page on connectors', () => {
  const loaded: Fixture[] = []
  const load = async (fixture: Fixture) => void loaded.push(fixture)
  // As the example describes it: few tables, and no rule is enforced.
  const oracleConnector = () => {
    const limited = limitedConnector(loaded.at(-1) ?? [], {
      only: { customers: { lookups: ['email'] }, people: { lookups: ['email'], deletes: true } },
      unenforced: ['unique', 'foreign_key', 'check', 'not_null', 'length'],
    })
    const { category, capabilities } = limited
    return defineConnector({
      ...{ type: 'oracle', category, capabilities, secrets: z.strictObject({ url: z.string(), token: z.string() }) },
      connect: ({ url }) => limited.connect({ database: url.endsWith(':8080') ? 'shop' : 'elsewhere' }),
    })
  }
  void runExample(example, { connectorContract, it, load, oracleConnector })
})

const broken = (fault: string, change: Fault, ...cases: string[]) => [fault, change, ...cases] as const

const faults = [
  broken(
    'answers what it cannot be asked',
    () => ({ read: async function* () {}, count: async (counts) => counts.map(() => 0) }),
    'the parts of a tuple must be met together, not crosswise',
    'rows that meet a group of noneOf are left out',
  ),
  broken(
    'finds nothing',
    () => ({ read: async function* () {}, countEach: async ({ group }) => Array.from(group.values[0]!, () => 0) }),
    'hostile text is found by being equal and never interpreted',
    'countEach gives each tuple, in their order, the number of rows that hold it',
    'rows come in several batches, sized by bytes',
  ),
  broken(
    'refuses what it can be asked',
    (connection) => ({ read: (read, options) => connection.read({ ...read, collection: 'notes' }, options) }),
    'values that no row holds find nothing',
    'a consumer that stops early frees the connection',
  ),
  broken(
    'deletes nothing',
    () => ({ erase: async () => {} }),
    'rows of a batch are deleted, and no other',
    'a fenced write takes effect once its worker is confirmed, and not before',
  ),
  broken(
    'writes what it says it cannot',
    () => ({ erase: async () => {} }),
    'a column becomes the same in every row, and null stays null',
  ),
  broken(
    'deletes whoever is asked for by key',
    ({ erase }) => ({
      erase: (batch, options) =>
        erase!({ ...batch, anyOf: [{ fields: [{ path: ['email'] }], values: [emails] }] }, options),
    }),
    'rows of a batch are deleted, and no other',
    'a row that meets no group any more is left',
  ),
  broken(
    'is told apart by what it cannot be asked',
    ({ describe: described }) => ({
      describe: async () => ({
        collections: (await described()).collections.map((each) => ({ ...each, primaryKey: ['id'] })),
      }),
    }),
    'rows that can be deleted have a key by which they can be looked up',
  ),
  broken(
    'calls every column a text',
    ({ describe: described }) => ({
      describe: async () => ({
        collections: (await described()).collections.map((each) => ({
          ...each,
          columns: each.columns.map((column) => ({ ...column, kind: 'string' as const })),
        })),
      }),
    }),
    'columns by which rows cannot be looked up are not of the kind string',
  ),
]
const emails = [1, 2, 3, 4, 5, 6].map((id) => `person-${id}@example.com`)

// `foundOut` opens without a fixture, and the contract gives one.
const opens = (change: Fault) =>
  openLimited(change) as (fixture?: Fixture) => ReturnType<ReturnType<typeof openLimited>>

for (const [fault, change, ...cases] of faults) {
  foundOut<EraseUnderTest>(
    (test, open) => connectorContract(test, open, { ...limits, erasing: open, patienceMilliseconds: 500 }),
    [[fault, opens(change), ...cases]],
  )
}
