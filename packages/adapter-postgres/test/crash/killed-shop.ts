import { expect } from 'vitest'
import { collection, field, refer } from '../../../core/test/engine/described.js'
import { kept, plain } from '../../../core/test/erasure/described-erasure.js'
import { type KillAt, type KilledRun, killsAt } from './killed-run.js'

const [ann, ben] = ['ann@example.com', 'ben@example.com']

export const killedTables = ['person', 'orders', 'tickets'] as const

/** Ann's rows take several batches of each table. Her tickets go as a whole, and her home member by member. */
export const killedRows = [
  `insert into person values (1, '${ann}', 'Ann', '{"city":"Rome","floor":1}'), (2, '${ben}', 'Ben', '{"city":"Bonn","floor":2}'),
    (3, '${ann}', null, '{"city":"Oslo"}'), (5, '${ann}', 'Ann', null)`,
  `insert into orders values (1, 1, 'note 1', 1), (2, 2, 'note 2', 2), (3, 3, 'note 3', 3), (4, 1, 'note 1', 4), (6, 2, 'note 6', 6)`,
  `insert into tickets values (1, 1, 'help 1'), (2, 2, 'help 2'), (3, 3, 'help 3'), (5, 5, 'help 5')`,
]

const owner = kept(refer('person_id', 'person.id'))
const key = plain('id', { primary_key: true })
const masked = (strategy: string) => ({ masking_strategy: { strategy } })
const all = { data_categories: { matches: 'ANY', values: ['user'] } }

/** The tables as a dataset describes them, and a policy that hands the person's rows over and erases them. */
export const killedShop = {
  dataset: {
    service_key: 'shop',
    collections: [
      collection('person', [
        key,
        field('email', { identity: 'email' }, []),
        field('name', masked('hash')),
        { name: 'home', fields: [field('city'), plain('floor')] },
      ]),
      collection('orders', [...[key, owner, plain('total')], field('note', masked('hash'))]),
      collection('tickets', [key, owner, field('body')], { erase: 'delete' }),
    ],
  },
  policy: {
    service_key: 'forget',
    rules: [
      { ...all, service_key: 'shown', action_type: 'access' },
      { ...all, service_key: 'erased', action_type: 'erasure' },
    ],
  },
}

export const killedSubmission = { policyKey: 'forget', identities: [{ email: ann }] }

/** Ann's values are gone, equal ones are still equal, so that none was masked twice, and nothing else has changed. */
export function expectErased({ person, orders, tickets }: Readonly<Record<string, unknown[][]>>): void {
  const hash = expect.stringMatching(/^[0-9a-f]{64}$/)
  const parsed = person?.map((row) =>
    row.map((value, at) => (at === 3 && typeof value === 'string' ? JSON.parse(value) : value)),
  )
  expect(parsed).toEqual([
    [1, ann, hash, { city: null, floor: 1 }],
    [2, ben, 'Ben', { city: 'Bonn', floor: 2 }],
    [3, ann, null, { city: null }],
    [5, ann, parsed?.[0]?.[2], null],
  ])
  expect(orders).toEqual([
    [1, 1, hash, 1],
    [2, 2, 'note 2', 2],
    [3, 3, hash, 3],
    [4, 1, orders?.[0]?.[2], 4],
    [6, 2, 'note 6', 6],
  ])
  expect(tickets).toEqual([[2, 2, 'help 2']])
}

type LeftRun = KilledRun & { readonly left: Readonly<Record<string, unknown[][]>> }

/**
 * Expects that the request ends alike wherever a process is killed, in each of the databases at once. `writing` is what the command
 * names that takes the lock of the first batch; `writeLimits` is what a receipt says of tables that may be written in part.
 */
export async function expectTheSameEnd<Database>(
  databases: readonly Database[],
  run: (database: Database, at?: KillAt) => Promise<LeftRun>,
  {
    writing,
    kindOf,
    writeLimits = {},
  }: { writing: string; kindOf: Parameters<typeof killsAt>[2]; writeLimits?: object },
): Promise<void> {
  const whole = await run(databases[0] as Database)
  expectErased(whole.left)
  const { package: handed, ...told } = whole.ending
  expect(told).toEqual({
    ...{ end: 'complete', doubts: [], writeLimits },
    erased: { 'shop:person': 'masked 3', 'shop:orders': 'masked 3', 'shop:tickets': 'erased 3' },
  })
  expect(handed['shop:tickets']).toHaveLength(3)

  const first = whole.commands.findIndex((command) => command.includes(writing))
  const kills = killsAt(whole.commands, first, kindOf)
  const places = kills.length
  let killed = 0
  const attend = async (database: Database) => {
    for (let at = kills.shift(); at !== undefined; at = kills.shift()) {
      const { ending, left, killed: isKilled } = await run(database, at)
      const where = `${at.moment} command ${at.command}, ${whole.commands[at.command - 1]}`
      expect([where, ending]).toEqual([where, whole.ending])
      expectErased(left)
      if (isKilled) killed++
    }
  }
  await Promise.all(databases.map(attend))
  // in another order of reads a process may end a command earlier
  expect(killed).toBeGreaterThanOrEqual(places * 0.9)
}
