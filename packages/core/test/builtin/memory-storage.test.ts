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
})
