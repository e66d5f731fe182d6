import { describe, expect, it } from 'vitest'
import { PrivacyError } from '../../errors.js'
import type { Connection } from '../../ports/connector.js'
import { guardedConnection } from './guarded-connection.js'

const secrets = {
  host: 'db.internal',
  password: 'planted-password',
  url: 'postgres://ada:planted-in-url@db.internal/shop',
}
const said = `no login as ada with planted-password or planted-in-url at db.internal`

function connection(error: unknown): Connection {
  const fail = async () => Promise.reject(error)
  return {
    concurrency: 3,
    ping: fail,
    describe: fail as Connection['describe'],
    async *read() {
      yield [['a']]
      throw error
    },
    count: fail as Connection['count'],
    close: async () => {},
  }
}

const read = { collection: 'c', columns: ['a'], anyOf: [] }

async function failures(error: unknown): Promise<unknown[]> {
  const guarded = guardedConnection(connection(error), secrets, { type: 'shop', harmless: ['shop'] })
  const rows = async () => {
    for await (const batch of guarded.read(read)) expect(batch).toEqual([['a']])
  }
  const work = [guarded.ping(), guarded.describe(), guarded.count([read]), rows()]
  return (await Promise.allSettled(work)).map((result) => (result as PromiseRejectedResult).reason)
}

describe('a guarded connection', () => {
  it('takes the secrets out of the messages of our errors, and keeps the rest', async () => {
    const error = new PrivacyError('connection_failed', said, { reason: 'login', connection: 'shop' })
    for (const shown of await failures(error)) {
      expect(shown).toMatchObject({
        code: 'connection_failed',
        details: { reason: 'login', connection: 'shop' },
        cause: error,
      })
      expect((shown as Error).message).not.toMatch(/planted|db\.internal/)
      expect((shown as Error).message).toMatch(/^no login as/)
    }
  })

  it('leaves errors without secrets unchanged', async () => {
    const error = new PrivacyError('connection_failed', 'It does not answer.')
    expect(await failures(error)).toEqual([error, error, error, error])
  })

  it.each([new Error(said), 'thrown'])('names the connector in place of what another error says: %s', async (error) => {
    for (const shown of await failures(error)) {
      expect(shown).toMatchObject({ code: 'internal', cause: error })
      expect((shown as Error).message).toMatch(/^The connector for shop failed in a way it does not explain/)
    }
  })

  it('leaves what ends a call unchanged', async () => {
    const reason = new Error('enough')
    const guarded = guardedConnection(connection(reason), secrets, { type: 'shop', harmless: [] })
    await expect(guarded.ping({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  })

  it('passes the concurrency on, and ends the source when its reader stops', async () => {
    let isEnded = false
    const source: Connection = {
      ...connection(undefined),
      async *read() {
        try {
          yield [['a']]
          yield [['b']]
        } finally {
          isEnded = true
        }
      },
    }
    const guarded = guardedConnection(source, secrets, { type: 'shop', harmless: [] })
    expect(guarded.concurrency).toBe(3)
    for await (const _ of guarded.read(read)) break
    expect(isEnded).toBe(true)
  })

  it('takes what a method gives or throws that is not async', async () => {
    const plain = {
      ...connection(undefined),
      ping: () => undefined,
      count: () => [7],
      erase: () => {
        throw new Error('at once')
      },
    } as unknown as Connection
    const guarded = guardedConnection(plain, secrets, { type: 'shop', harmless: [] })
    expect(await guarded.ping()).toBeUndefined()
    expect(await guarded.count([read])).toEqual([7])
    await expect(guarded.erase?.({} as never)).rejects.toThrow('The connector for shop failed')
  })

  it.each([
    [false, undefined, true],
    [false, null, false],
    [true, undefined, false],
    [undefined, undefined, false],
  ])('a column with nullable %s may hold %s: refused %s', async (nullable, value, isRefused) => {
    const columns = [{ name: 'a', type: 'text', nullable }]
    const table = { name: 'c', columns, primaryKey: ['a'], uniqueKeys: [], foreignKeys: [], indexes: [] }
    let schemaless = false
    const source = {
      ...connection(undefined),
      describe: async () => ({ collections: [{ ...table, schemaless }] }),
      async *read() {
        yield [[value]]
      },
    } as unknown as Connection
    const guarded = guardedConnection(source, secrets, { type: 'shop', harmless: [] })
    const rows = async () => {
      for await (const batch of guarded.read(read)) expect(batch).toEqual([[value]])
    }
    await guarded.describe()
    const why = "read gives a row without 'c.a', which describe calls not nullable"
    if (isRefused) await expect(rows()).rejects.toThrow(why)
    else await rows()
    schemaless = true
    await guarded.describe()
    await rows()
  })
})
