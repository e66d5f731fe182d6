import type { Connection, PrivacyRequest } from '@habeas/core'
import { type MemoryConnector, type MemoryDatabase, memoryConnector } from '@habeas/testkit'
import { describe, expect, test } from 'vitest'
import { kept } from '../erasure/described-erasure.js'
import { erasureWorld } from '../erasure/erasure-world.js'
import { collection, field, filled, id, refer, type Said, shopOf, table, undirected } from './described.js'
import { openService } from './service-run.js'

const ann = { email: 'ann@example.com' }
const email = field('email', { identity: 'email' }, ['user.contact.email'])
const plainId = field('id', { primary_key: true }, [])
const crmDataset = { dataset: 'crm' }

/**
 * Two databases. `said` is what the description says of every reference that is not an owner: `none`, or nothing. Most
 * rows of `visit`, `ticket` and `contact` only such a reference connects with anybody.
 */
function shops(said: Said) {
  const visits = Array.from({ length: 40 }, (_, at) => [100 + at, 1 + (at % 2), 'a page'] as const)
  const shop = shopOf(
    [
      collection('person', [id, email, kept(undirected('rep_id', 'rep.id', { ...crmDataset, ...said }))]),
      collection('orders', [plainId, kept(refer('person_id', 'person.id')), field('note')]),
      collection('visit', [plainId, kept(undirected('person_id', 'person.id', said)), field('page')]),
      collection('ticket', [
        plainId,
        kept(undirected('asker_id', 'person.id', said)),
        kept(undirected('order_id', 'orders.id', said)),
        field('text'),
      ]),
    ],
    {
      person: table({ id: 'integer', email: 'string', rep_id: 'integer' }, [
        [1, 'ann@example.com', 7],
        [2, 'ben@example.com', 7],
      ]),
      orders: filled(
        table({ id: 'integer', person_id: 'integer', note: 'string' }, [
          [10, 1, 'hers'],
          [11, 2, 'his'],
        ]),
        'person_id',
      ),
      visit: { ...table({ id: 'integer', person_id: 'integer', page: 'string' }, visits), indexes: [['person_id']] },
      ticket: {
        ...table({ id: 'integer', asker_id: 'integer', order_id: 'integer', text: 'string' }, [
          [50, 1, null],
          [51, 2, 10],
          [52, 1, 10],
        ]),
        indexes: [['asker_id'], ['order_id']],
      },
    },
  )
  const crm = shopOf(
    [
      collection('rep', [plainId, field('name', {}, ['user.name'])]),
      collection('contact', [
        plainId,
        kept(undirected('person_id', 'person.id', { dataset: 'shop', ...said })),
        field('said'),
      ]),
    ],
    {
      rep: { ...table({ id: 'integer', name: 'string' }, [[7, 'Rita']]), indexes: [['id']] },
      contact: {
        ...table({ id: 'integer', person_id: 'integer', said: 'string' }, [
          [70, 1, 'hello'],
          [71, 2, 'his'],
        ]),
        indexes: [['person_id']],
      },
    },
    { key: 'crm' },
  )
  return [shop, crm] as const
}

interface Traffic {
  rows: number
  bytes: number
}

/** Counts what a connector gives. */
function weighed<Counted extends Pick<MemoryConnector, 'connect'>>(connector: Counted, traffic: Traffic): Counted {
  const connect: MemoryConnector['connect'] = async (...given) => {
    const connection = await connector.connect(...given)
    const read: Connection['read'] = async function* (...asked) {
      for await (const batch of connection.read(...asked)) {
        traffic.rows += batch.length
        traffic.bytes += JSON.stringify(batch).length
        yield batch
      }
    }
    return { ...connection, read }
  }
  return { ...connector, connect }
}

const queries = (connector: MemoryConnector) =>
  connector.calls.flatMap(({ operation, read, counts, countEach, erase }) => {
    const collections = [read, countEach, erase, ...(counts ?? [])].flatMap((asked) =>
      asked ? [asked.collection] : [],
    )
    return ['read', 'count', 'countEach', 'erase'].includes(operation) ? [`${operation} ${collections.join(' ')}`] : []
  })
const isCount = (query: string) => query.startsWith('count ')
const others = (all: readonly string[]) => all.filter((query) => !isCount(query)).sort()

async function accessed(said: Said) {
  const traffic = { rows: 0, bytes: 0 }
  const all = shops(said)
  const given = all.map(({ document, connector }) => ({ document, connector: weighed(connector, traffic) }))
  const service = await openService(given)
  try {
    const { rows, request } = await service.access(ann)
    return { traffic, rows, request, asked: all.map(({ connector }) => queries(connector)) }
  } finally {
    await service.privacy.close()
  }
}

/** An erasure over both, whose two connections lead to one database that holds all tables. */
async function erased(said: Said, acceptUndecided: boolean) {
  const all = shops(said)
  const database = Object.assign({}, ...all.map(({ connector }) => connector.database)) as MemoryDatabase
  const before = structuredClone(database)
  const connector = memoryConnector({ database })
  const traffic = { rows: 0, bytes: 0 }
  const documents = all.map(({ document }) => document)
  await using world = await erasureWorld(weighed(connector, traffic), documents)
  const { id: requestId } = await world.privacy.requests.submit({
    policyKey: 'erase',
    identities: [ann],
    acceptUndecided,
    acceptUnsearched: true,
  })
  const end = await world.paused(requestId)
  return { end, traffic, asked: queries(connector), database, before }
}

const none: Said = { direction: 'none' }
const undecidedOf = ({ results = [] }: Pick<PrivacyRequest, 'results'>) =>
  Object.fromEntries(results.flatMap(({ undecided = [] }) => undecided.map((each) => [each.reference, each.rowCount])))
const allUndecided = {
  'crm:contact.person_id': 1,
  'shop:person.rep_id': 1,
  'shop:visit.person_id': 20,
  'shop:ticket.asker_id': 1,
  'shop:ticket.order_id': 2,
}

describe('an access', () => {
  test('counts nothing where nothing is open', async () => {
    const { asked, traffic } = await accessed(none)
    expect(asked).toEqual([['read person', 'read orders'], []])
    expect(traffic.rows).toBe(2)
  })

  test('sends one statement more for each connection, whatever is open there, and reads no row more', async () => {
    const closed = await accessed(none)
    const { asked, traffic, rows, request } = await accessed({})
    expect(undecidedOf(request)).toEqual(allUndecided)
    expect(asked.map((each) => each.filter(isCount).length)).toEqual([1, 1])
    expect(asked.map(others)).toEqual(closed.asked.map(others))
    // What it was asked for comes first: nothing that is read waits for a count.
    expect(asked.map((each) => each.findIndex(isCount))).toEqual(asked.map((each) => each.length - 1))
    expect(traffic.rows).toBe(closed.traffic.rows)
    // The row of hers tells one number more, which is looked for.
    expect(traffic.bytes - closed.traffic.bytes).toBeLessThanOrEqual('7,10,'.length)
    expect([rows['shop:person'], rows['shop:orders']]).toEqual([closed.rows['shop:person'], closed.rows['shop:orders']])
    expect(
      Object.keys(rows)
        .filter((each) => each.includes(':'))
        .sort(),
    ).toEqual(['shop:orders', 'shop:person'])
  })

  test('counts in one database beside the other', async () => {
    const all = shops({})
    const gates = all.map(({ connector }) => connector.hold({ operation: 'count' }))
    const service = await openService(all)
    const requestId = await service.submit(ann)
    await Promise.all(gates.map(({ reached }) => reached))
    for (const gate of gates) gate.open()
    expect(undecidedOf(await service.rested(requestId))).toEqual(allUndecided)
    await service.privacy.close()
  })
})

describe('an erasure', () => {
  test('counts nothing where nothing is open', async () => {
    const { end, asked, database, before } = await erased(none, false)
    expect([end.status, asked.filter(isCount)]).toEqual(['complete', []])
    for (const name of ['visit', 'ticket', 'contact', 'rep']) expect(database[name]).toEqual(before[name])
  })

  test('counts once for each connection before the first write, and reads no row more, where it leaves what is open', async () => {
    const closed = await erased(none, false)
    const { end, asked, traffic, database, before } = await erased({}, true)
    expect([end.status, undecidedOf(end)]).toEqual(['complete', allUndecided])
    expect(others(asked)).toEqual(others(closed.asked))
    expect(asked.filter(isCount).sort()).toEqual(['count contact rep', 'count ticket ticket visit'])
    const first = asked.findIndex((query) => query.startsWith('erase '))
    expect(asked.findLastIndex(isCount)).toBeLessThan(first)
    expect(traffic.rows).toBe(closed.traffic.rows)
    expect(database).toEqual({ ...before, person: closed.database['person'], orders: closed.database['orders'] })
    expect(database['orders']?.rows).toEqual([
      { id: 10, person_id: 1, note: null },
      { id: 11, person_id: 2, note: 'his' },
    ])
  })

  test('counts once for each connection up to the pause, with nothing written', async () => {
    const { end, asked, traffic, database, before } = await erased({}, false)
    expect([end.status, undecidedOf(end), database]).toEqual(['paused', allUndecided, before])
    expect(asked).toEqual([
      'read person',
      'read orders',
      expect.stringMatching(/^count/),
      expect.stringMatching(/^count/),
    ])
    expect(traffic.rows).toBe(2)
  })
})
