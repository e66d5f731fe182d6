import { memoryStorage, type Rows } from '@habeas/core'
import { describe, expect, it } from 'vitest'

const row = (id: string, state: unknown = {}, version = 1): Rows['checkpoint'] => ({
  id,
  version,
  requestId: 'pri_1',
  signature: 'signature',
  state,
})

describe('memoryStorage', () => {
  it.each([
    ['a Date', new Date(0), 'checkpoint.state is a Date'],
    ['a bigint', { list: [1n] }, 'checkpoint.state.list[0] is a bigint'],
    ['bytes', { raw: new Uint8Array(1) }, 'checkpoint.state.raw is a Uint8Array'],
    ['NaN', Number.NaN, 'checkpoint.state is NaN'],
    ['a function', () => 1, 'checkpoint.state is a function'],
  ])('refuses %s, which a database could not store as JSON either', async (_what, state, message) => {
    await expect(memoryStorage().table('checkpoint').insert(row('a', state))).rejects.toThrow(message)
  })

  it('leaves undefined members out, as JSON does', async () => {
    const table = memoryStorage().table('checkpoint')
    await table.insert(row('a', { kept: 1, gone: undefined }))
    expect(Object.keys((await table.get('a'))?.state as object)).toEqual(['kept'])
  })

  it('ends a circle of waiting transactions with a conflict', async () => {
    const storage = memoryStorage()
    await storage.table('checkpoint').insertMany([row('a'), row('b')])
    const both = (first: string, second: string) =>
      storage.transaction(async (inside) => {
        await inside.table('checkpoint').replace(row(first, {}, 2))
        await new Promise((resolve) => setImmediate(resolve))
        return inside.table('checkpoint').replace(row(second, {}, 2))
      })
    const outcomes = await Promise.allSettled([both('a', 'b'), both('b', 'a')])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'conflict' } })
    expect((await storage.table('checkpoint').find()).map(({ version }) => version)).toEqual([2, 2])
  })

  it('refuses writes to a transaction that has ended', async () => {
    const storage = memoryStorage()
    const kept = await storage.transaction(async (inside) => inside)
    await expect(kept.table('checkpoint').insert(row('a'))).rejects.toMatchObject({ code: 'internal' })
    expect(await storage.table('checkpoint').count()).toBe(0)
  })
})
