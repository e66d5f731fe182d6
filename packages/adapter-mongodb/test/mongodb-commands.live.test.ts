import { randomBytes } from 'node:crypto'
import type { Erase, KeyGroup } from '@habeas/core'
import { MongoClient } from 'mongodb'
import { afterAll, describe, expect, it } from 'vitest'
import { mongodbConnector } from '../src/index.js'
import { mongoProxy } from './mongo-proxy.js'
import { serverUrl } from './server-url.js'

const limits = { statementTimeoutSeconds: 41, writeTimeoutSeconds: 17 }
const anns: KeyGroup = { fields: [{ path: ['email'] }], values: [['ann@example.com']] }
const fence = { lock: 'request-1', confirm: async () => {}, leftMs: () => 9_500.5 }

/** Commands whose work on the server could take long. */
const timed = ['aggregate', 'commitTransaction', 'count', 'delete', 'find', 'listCollections', 'listIndexes', 'update']

describe.each([
  ['a replica set', false],
  ['a server that stands alone', true],
])('on %s', (_, standsAlone) => {
  const name = `habeas_${randomBytes(6).toString('hex')}`
  const client = () => new MongoClient(serverUrl())
  afterAll(async () => {
    const dropping = client()
    await dropping.db(name).dropDatabase()
    await dropping.close()
  })

  it('every command that reads or writes may take no longer than the options say', async () => {
    const filling = client()
    await filling
      .db(name)
      .collection<{ _id: number; email: string; name: string }>('people')
      .insertMany([
        { _id: 1, email: 'ann@example.com', name: 'Ann' },
        { _id: 2, email: 'ann@example.com', name: 'Ann' },
      ])
    await filling.close()
    const sent = new Map<string, Set<unknown>>()
    const proxy = await mongoProxy(serverUrl(), {
      standsAlone,
      onCommand(command, _moment, { maxTimeMS }) {
        sent.set(command, (sent.get(command) ?? new Set()).add(maxTimeMS === undefined ? undefined : Number(maxTimeMS)))
        return undefined
      },
    })
    const connector = mongodbConnector(limits)
    const connection = await connector.connect(connector.parseSecrets({ url: proxy.url, database: name }))
    const batch = (key: number, set: Erase['set']): Erase => ({
      ...{ collection: 'people', key: ['_id'], keys: [[key]], anyOf: [anns], set },
      unchanged: [{ collection: 'people', group: { ...anns, exact: true }, rows: 1 }],
    })
    try {
      await connection.describe()
      for await (const rows of connection.read({ collection: 'people', columns: ['$x', 'name'], anyOf: [anns] })) {
        expect(rows).toHaveLength(2)
      }
      await connection.count([{ collection: 'people', anyOf: [anns] }])
      await connection.countEach?.({ collection: 'people', group: anns })
      await connection.erase?.(batch(1, [{ column: 'name', to: null }]), { fence })
      await connection.erase?.(batch(2, 'delete'), { fence })
      await connection.endWrites?.(fence.lock)
    } finally {
      await connection.close()
      await proxy.close()
    }
    const names = standsAlone ? timed.filter((command) => command !== 'commitTransaction') : timed
    expect([...sent.keys()].filter((command) => timed.includes(command)).toSorted()).toEqual(names)
    // 5 s is what one attempt to take a fence over may take
    const allowed = [41_000, 9_500, ...(standsAlone ? [] : [17_000, 5_000])]
    for (const command of names) {
      for (const limit of sent.get(command) ?? [])
        expect([command, allowed]).toEqual([command, expect.arrayContaining([limit])])
    }
    // what is left of the lease
    expect(sent.get('delete')).toEqual(new Set([9_500]))
    expect(sent.get('update')).toContain(9_500)
  })
})
