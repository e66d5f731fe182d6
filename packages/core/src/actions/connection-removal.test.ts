import { describe, expect, test } from 'vitest'
import { setUp } from '../../test/fixtures/connection-service.js'
import { settle } from '../../test/fixtures/resource-service.js'

describe('removing a connection', () => {
  test('takes its secrets along and unlinks its datasets', async () => {
    const { connections, datasets, storage, changed } = setUp()
    await connections.put({ key: 'db', connectionType: 'mysql' })
    await connections.setSecrets('db', { host: 'h', password: 'hunter2' }, { verify: false })
    await connections.attachDataset('db', { service_key: 'shop' })
    await connections.remove('db')
    expect(await storage.table('connectionSecret').count()).toBe(0)
    expect(await datasets.get('shop')).toMatchObject({ connection_key: null })
    await expect(connections.remove('db')).rejects.toMatchObject({ code: 'not_found' })
    expect(changed).toEqual(['db', 'db'])
  })

  test('leaves nothing linked or sealed for it, despite writes at the same time', async () => {
    for (let round = 0; round < 20; round++) {
      const { connections, datasets, storage } = setUp()
      await connections.put({ key: 'db', connectionType: 'mysql' })
      const others = [
        ...Array.from({ length: 5 }, (_, at) => connections.attachDataset('db', { service_key: `d${at}` })),
        connections.setSecrets('db', { host: 'h' }, { verify: false }),
      ]
      const later = async () => {
        for (let turn = 0; turn < round; turn++) await null
        await connections.remove('db')
      }
      const { failures } = await settle([...others, later()])
      expect(failures.every((error) => error.code === 'not_found')).toBe(true)
      expect(await storage.table('connectionSecret').count()).toBe(0)
      expect((await datasets.list()).items.filter((item) => item.connection_key !== null)).toEqual([])
    }
  })

  test('is refused while a run uses it', async () => {
    const { connections, storage } = setUp()
    await connections.put({ key: 'db', connectionType: 'mysql' })
    await storage.table('privacyRequest').insert({
      id: 'pri_1',
      version: 1,
      status: 'in_processing',
      policyKey: 'p',
      createdAt: '',
      requestedAt: '',
      encrypted: false,
    })
    await storage
      .table('requestPlan')
      .insert({ id: 'pri_1', version: 1, plan: { collections: [{ connectionKey: 'db' }] } })
    await expect(connections.remove('db')).rejects.toMatchObject({
      code: 'conflict',
      details: { kind: 'connection', id: 'db', referrers: ['pri_1'] },
    })
    await storage.table('requestPlan').take('pri_1')
    await connections.remove('db')
  })
})
