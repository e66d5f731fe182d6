import { describe, expect, test } from 'vitest'
import { aesSecrets } from '../builtin/aes-secrets.js'
import { memoryStorage } from '../builtin/memory-storage.js'
import { systemRuntime as runtime } from '../builtin/system-runtime.js'
import { PrivacyError } from '../errors.js'
import type { Storage, Table } from '../ports/storage.js'
import { serviceKeys } from './service-keys.js'

const sealedWith = (byte: number) => aesSecrets({ keys: Buffer.alloc(32, byte).toString('base64') })
const secrets = sealedWith(1)
const text = (key: Uint8Array) => Buffer.from(key).toString('hex')

/** A storage in which all read before the first one writes, for as long as `waiting` are there. */
function slowStorage(waiting: number): Storage {
  const storage = memoryStorage()
  const table = storage.table('serviceKey')
  let readers = 0
  let open: () => void
  const all = new Promise<void>((resolve) => {
    open = resolve
  })
  const get: Table<'serviceKey'>['get'] = async (id) => {
    const row = await table.get(id)
    if (++readers === waiting) open()
    if (readers <= waiting) await all
    return row
  }
  return { ...storage, table: (() => ({ ...table, get })) as unknown as Storage['table'] }
}

describe('keys the service makes for itself', () => {
  test('of 20 processes that need the first key at once all get one and the same', async () => {
    const storage = slowStorage(20)
    const processes = Array.from({ length: 20 }, () => serviceKeys({ storage, secrets, runtime }))
    const keys = await Promise.all(processes.map((key) => key('token-signing')))
    expect(new Set(keys.map(text)).size).toBe(1)
    expect(keys[0]).toHaveLength(32)
    expect(await storage.table('serviceKey').count()).toBe(1)
    expect(text(await serviceKeys({ storage, secrets, runtime })('token-signing'))).toBe(text(keys[0] as Uint8Array))
  })

  test('one process asks once, however many ask it', async () => {
    let reads = 0
    const storage = memoryStorage()
    const table = storage.table('serviceKey')
    const get = (id: string) => {
      reads++
      return table.get(id)
    }
    const counted = { ...table, get }
    const key = serviceKeys({ storage: { ...storage, table: (() => counted) as never }, secrets, runtime })
    const keys = await Promise.all(Array.from({ length: 50 }, () => key('token-signing')))
    expect(new Set(keys.map(text)).size).toBe(1)
    expect(reads).toBe(2)
  })

  test('each purpose has its own, and none is stored as it is', async () => {
    const storage = memoryStorage()
    const key = serviceKeys({ storage, secrets, runtime })
    const [signing, hashing] = [await key('token-signing'), await key('identity-hash')]
    expect(text(signing)).not.toBe(text(hashing))
    const stored = JSON.stringify(await storage.table('serviceKey').find())
    for (const each of [signing, hashing]) {
      expect(stored).not.toContain(Buffer.from(each).toString('base64'))
      expect(stored).not.toContain(text(each))
    }
  })

  test('one that cannot be opened is not replaced, and neither is one that was moved to another purpose', async () => {
    const storage = memoryStorage()
    const first = text(await serviceKeys({ storage, secrets, runtime })('token-signing'))
    await expect(serviceKeys({ storage, secrets: sealedWith(2), runtime })('token-signing')).rejects.toThrow()
    expect(text(await serviceKeys({ storage, secrets, runtime })('token-signing'))).toBe(first)

    const row = await storage.table('serviceKey').get('token-signing')
    await storage.table('serviceKey').insert({ ...(row as NonNullable<typeof row>), id: 'identity-hash' })
    await expect(serviceKeys({ storage, secrets, runtime })('identity-hash')).rejects.toThrow()
  })

  test('after a failure of the storage the key is asked for again', async () => {
    const storage = memoryStorage()
    const table = storage.table('serviceKey')
    let isAway = true
    const away = async (id: string) => {
      if (isAway) throw new PrivacyError('unavailable', 'The storage is away.')
      return table.get(id)
    }
    const key = serviceKeys({
      storage: { ...storage, table: (() => ({ ...table, get: away })) as never },
      secrets,
      runtime,
    })
    await expect(key('token-signing')).rejects.toMatchObject({ code: 'unavailable' })
    isAway = false
    expect(await key('token-signing')).toHaveLength(32)
  })
})
