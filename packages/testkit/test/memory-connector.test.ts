import { type Connection, objectId, type Read } from '@habeas/core'
import { type MemoryConnectorOptions, memoryConnector } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'

const people = () => ({
  people: {
    primaryKey: ['id'],
    rows: [
      { id: 1, email: 'jane@example.com' },
      { id: 2, email: 'JANE@example.com' },
      { id: 3, email: 'john@example.com' },
    ],
  },
})

const read: Read = {
  collection: 'people',
  columns: ['id'],
  anyOf: [{ fields: [{ path: ['id'] }], values: [[1, 2, 3]] }],
}

const connected = async (options: MemoryConnectorOptions = { database: people() }) => {
  const connector = memoryConnector(options)
  return { connector, connection: await connector.connect({}) }
}

const idsOf = async (connection: Connection, asked: Read = read): Promise<unknown[]> => {
  const ids: unknown[] = []
  for await (const batch of connection.read(asked)) ids.push(...batch.flat())
  return ids
}

const by = (field: string, value: string | number): Read => ({
  ...read,
  anyOf: [{ fields: [{ path: [field] }], values: [[value]] }],
})

describe('memoryConnector', () => {
  it('infers columns from the rows when it is given none', async () => {
    const { connection } = await connected({
      database: {
        things: {
          rows: [
            { id: 1, mixed: 1, list: ['a'] },
            { id: 2, mixed: 'x', half: 0.5, none: null },
          ],
        },
      },
    })
    const [things] = (await connection.describe()).collections
    expect(things?.columns.map(({ name, kind, array }) => [name, kind, array])).toEqual([
      ['id', 'integer', undefined],
      ['mixed', undefined, undefined],
      ['list', 'string', true],
      ['half', 'float', undefined],
      ['none', undefined, undefined],
    ])
  })

  it('compares by kind and exactly, or loosely when it is told to', async () => {
    const { connection } = await connected()
    expect(await idsOf(connection, by('id', '1'))).toEqual([])
    expect(await idsOf(connection, by('email', 'jane@EXAMPLE.com'))).toEqual([])
    const { connection: loose } = await connected({ database: people(), loose: true })
    expect(await idsOf(loose, by('id', ' 1.0 '))).toEqual([1])
    expect(await idsOf(loose, by('email', 'jane@EXAMPLE.com'))).toEqual([1, 2])
  })

  it('finds object ids by their text, never by equal text', async () => {
    const id = objectId('0123456789abcdef01234567')!
    const database = { carts: { schemaless: true, rows: [{ _id: id, n: 1n }, { _id: id.text }] } }
    const { connection } = await connected({ type: 'mongodb', database })
    const cart = {
      collection: 'carts',
      columns: ['_id', 'n'],
      anyOf: [{ fields: [{ path: ['_id'] }], values: [[id]] }],
    }
    const batches: unknown[] = []
    for await (const batch of connection.read(cart)) batches.push(...batch)
    expect(batches).toEqual([[id, 1n]])
  })

  it('shows what a test changes in the database, and keeps what a reader changes out of it', async () => {
    const { connector, connection } = await connected({ database: { people: { rows: [{ id: 1, tags: ['a'] }] } } })
    for await (const rows of connection.read({ ...read, columns: ['tags'] })) (rows[0]![0] as string[]).push('b')
    expect(connector.database['people']?.rows).toEqual([{ id: 1, tags: ['a'] }])
    connector.database['people']?.rows.push({ id: 2 })
    expect(await idsOf(connection)).toEqual([1, 2])
  })

  it('records calls with a copy of their keys', async () => {
    const { connector, connection } = await connected()
    const keys = Int32Array.of(1)
    await idsOf(connection, { ...read, anyOf: [{ fields: [{ path: ['id'] }], values: [keys] }] })
    keys[0] = 9
    await connection.count([read])
    expect(connector.calls.map(({ operation }) => operation)).toEqual(['connect', 'read', 'count'])
    expect(connector.calls[1]?.read?.anyOf[0]?.values).toEqual([[1]])
  })

  it('fails as planned: which calls, how often, after how many batches, with which error', async () => {
    const { connector, connection } = await connected()
    connector.failNext({ operation: 'count', times: 2 })
    connector.failNext({ collection: 'people', afterBatches: 1, error: new Error('planned') })
    const received: unknown[] = []
    const reading = async () => {
      for await (const batch of connection.read(read)) received.push(...batch.flat())
    }
    await expect(reading()).rejects.toThrow('planned')
    expect(received).toEqual([1, 2])
    expect(await idsOf(connection)).toEqual([1, 2, 3])
    for (let turn = 0; turn < 2; turn += 1) {
      await expect(connection.count([read])).rejects.toMatchObject({ details: { reason: 'connection_lost' } })
    }
    expect(await connection.count([read])).toEqual([3])
  })

  it('holds calls back until the gate is opened', async () => {
    const { connector, connection } = await connected()
    const gate = connector.hold({ collection: 'people' })
    const ids = idsOf(connection)
    await gate.reached
    expect(gate.waiting).toBe(1)
    expect(connector.openReads).toBe(1)
    await connection.ping()
    gate.open()
    expect(await ids).toEqual([1, 2, 3])
    expect(gate.waiting).toBe(0)
  })

  it('lets a call that is held back be aborted, and be ended by close', async () => {
    const { connector, connection } = await connected()
    connector.hold()
    const abort = new AbortController()
    const counting = connection.count([read], { signal: abort.signal })
    abort.abort(new Error('enough'))
    await expect(counting).rejects.toThrow('enough')
    const pinging = connection.ping()
    await connection.close()
    await expect(pinging).rejects.toMatchObject({ details: { reason: 'closed' } })
  })

  it('counts reads and connections that are open', async () => {
    const { connector, connection } = await connected()
    const iterators = [1, 2].map(() => connection.read(read)[Symbol.asyncIterator]())
    for (const iterator of iterators) await iterator.next()
    expect([connector.openReads, connector.openConnections]).toEqual([2, 1])
    for (const iterator of iterators) await iterator.return?.()
    await connection.close()
    expect([connector.openReads, connector.mostOpenReads, connector.openConnections]).toEqual([0, 2, 0])
  })

  it('serves the database that the secrets name', async () => {
    const connector = memoryConnector({ databases: { one: people(), two: { people: { rows: [{ id: 2 }] } } } })
    for (const [secrets, ids] of [
      [{ database: 'one' }, [1, 2, 3]],
      [{ dbname: 'two', user: 'reader' }, [2]],
      [{ url: 'postgres://reader:password@localhost/two' }, [2]],
    ] as const) {
      expect(await idsOf(await connector.connect(connector.parseSecrets(secrets)))).toEqual(ids)
    }
  })

  it.each<[string, Partial<Read>, string]>([
    ['no group', { anyOf: [] }, 'at least one key group'],
    ['too many keys', { anyOf: [{ fields: [{ path: ['id'] }], values: [Array(1_001).fill(1)] }] }, 'at most 1000 keys'],
    ['a missing column of values', { anyOf: [{ fields: [{ path: ['id'] }], values: [] }] }, 'one column of values'],
    ['nested fields', { anyOf: [{ fields: [{ path: ['id', 'x'] }], values: [[1]] }] }, 'no nested fields'],
  ])('fails the test on a read with %s', async (_what, change, message) => {
    const { connection } = await connected()
    await expect(idsOf(connection, { ...read, ...change })).rejects.toThrow(message)
  })
})
