import { describe, expect, test } from 'vitest'
import { setUp } from '../../../test/fixtures/connection-service.js'
import { settle } from '../../../test/fixtures/resource-service.js'

describe('connections', () => {
  test('a key is derived from the name; omitted members have their defaults', async () => {
    const { connections, changed } = setUp()
    const written = await connections.create({ name: 'Application PostgreSQL DB', connectionType: 'postgres' })
    expect(written).toEqual({
      key: 'application_postgresql_db',
      name: 'Application PostgreSQL DB',
      connectionType: 'postgres',
      access: 'read',
      disabled: false,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      findings: [expect.objectContaining({ type: 'no_connector' })],
      warnings: [],
    })
    const { findings, warnings, ...connection } = written
    expect(await connections.get('application_postgresql_db')).toEqual(connection)
    expect(changed).toEqual([])
    expect((await connections.put({ key: 'c', connectionType: 'crm' })).findings).toEqual([])
    expect((await connections.put(await connections.get('c'))).warnings).toEqual([])
  })

  test('PATCH without a key updates the connection with the derived key and keeps omitted members', async () => {
    const { connections } = setUp()
    const given = { name: 'My DB', connectionType: 'mysql', access: 'write', disabled: true, description: 'd' }
    const { createdAt } = await connections.patch(given)
    const patched = await connections.patch({ name: 'my db' })
    expect(patched).toMatchObject({ ...given, key: 'my_db', name: 'my db', createdAt })
    const cleared = await connections.patch({ key: 'my_db', description: null, access: null, disabled: null })
    expect(cleared).toMatchObject({ name: 'my db', access: 'read', disabled: false })
    expect(cleared).not.toHaveProperty('description')
    expect((await connections.list({ search: 'd' })).total).toBe(1)
    await expect(connections.patch({ name: 'New' })).rejects.toMatchObject({
      details: { issues: [{ loc: ['connectionType'], type: 'missing' }] },
    })
  })

  test('put replaces what create refuses', async () => {
    const { connections } = setUp()
    await connections.create({ key: 'a', name: 'A', connectionType: 'mysql', description: 'd', disabled: true })
    await expect(connections.create({ key: 'a', connectionType: 'mysql' })).rejects.toMatchObject({ code: 'conflict' })
    const put = await connections.put({ key: 'a', connectionType: 'mysql' })
    expect(put).toMatchObject({ name: 'a', disabled: false })
    expect(put).not.toHaveProperty('description')
  })

  test('exactly one of 50 callers that create one key at once succeeds', async () => {
    const { connections } = setUp()
    const one = () => connections.create({ name: 'One', connectionType: 'mysql' })
    const { succeeded, failures } = await settle(Array.from({ length: 50 }, one))
    expect(succeeded).toBe(1)
    expect(failures.every((error) => error.code === 'conflict')).toBe(true)
  })

  test('an unknown type, and one whose connector is not registered, are refused', async () => {
    const { connections } = setUp()
    for (const connectionType of ['oracle', '__proto__', 'constructor']) {
      await expect(connections.put({ key: 'a', connectionType })).rejects.toMatchObject({
        details: { issues: [{ loc: ['connectionType'] }] },
      })
    }
    expect(connections.kinds().at(-1)).toEqual({ type: 'crm', name: 'crm', category: 'saas' })
  })

  test('the name of a manual webhook is its own', async () => {
    const { connections } = setUp()
    const webhook = { name: 'Paper files', connectionType: 'manual_webhook' }
    await connections.put(webhook)
    await connections.put({ ...webhook, connectionType: 'manual', key: 'other' })
    await expect(connections.put({ ...webhook, key: 'second' })).rejects.toMatchObject({
      code: 'conflict',
      details: { referrers: ['paper_files'] },
    })
    await expect(connections.patch({ key: 'other', connectionType: 'manual_webhook' })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await connections.put(webhook)).toMatchObject({ key: 'paper_files' })
  })

  test('hostile keys are keys', async () => {
    const { connections } = setUp()
    for (const key of ['__proto__', 'constructor']) {
      await expect(connections.get(key)).rejects.toMatchObject({ code: 'not_found' })
      await connections.put({ key, connectionType: 'mysql' })
      await connections.attachDataset(key, { service_key: key })
      expect((await connections.datasets(key)).items.map((item) => item.service_key)).toEqual([key])
      await connections.remove(key)
    }
    for (const key of ['', '..', '\0']) await expect(connections.get(key)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('the list of connections', () => {
  async function filled() {
    const { connections, storage } = setUp()
    for (const [key, name, connectionType, disabled, description] of [
      ['p', 'Zebra', 'postgres', false, 'Orders'],
      ['m', 'Alpha', 'mysql', true, 'all ORDERS'],
      ['b', 'Alpha', 'crm', false, '50%'],
      ['w', 'Files', 'manual_webhook', false, 'paper'],
    ]) {
      await connections.put({ key, name, connectionType, disabled, description })
    }
    for (const [key, lastTestSucceeded] of [
      ['p', true],
      ['m', false],
    ] as const) {
      const row = await storage.table('connection').get(key)
      await storage.table('connection').replace({ ...row!, version: row!.version + 1, lastTestSucceeded })
    }
    return connections
  }

  test.each([
    [{}, 'b m w p'],
    [{ connectionType: 'postgres' }, 'p'],
    [{ connectionType: ['postgres', 'mysql'] }, 'm p'],
    [{ connectionType: [] }, 'b m w p'],
    [{ disabled: true }, 'm'],
    [{ disabled: false }, 'b w p'],
    [{ testStatus: 'succeeded' }, 'p'],
    [{ testStatus: 'passed' }, 'p'],
    [{ testStatus: 'true' }, 'p'],
    [{ testStatus: true }, 'p'],
    [{ testStatus: 'failed' }, 'm'],
    [{ testStatus: 'false' }, 'm'],
    [{ testStatus: false }, 'm'],
    [{ testStatus: 'untested' }, 'b w'],
    [{ systemType: 'database' }, 'm p'],
    [{ systemType: 'saas' }, 'b'],
    [{ systemType: 'manual' }, 'w'],
    [{ systemType: 'saas', connectionType: ['mysql'] }, ''],
    [{ systemType: 'database', connectionType: ['mysql', 'crm'] }, 'm'],
    [{ search: 'orders' }, 'm p'],
    [{ search: '50%' }, 'b'],
    [{ search: '_' }, ''],
    [{ search: 'ALPHA', disabled: false }, 'b'],
    [{ page: 2, size: 3 }, 'p'],
    [{ page: 3, size: 3 }, ''],
  ] as const)('%j gives %s', async (filters, keys) => {
    const page = await (await filled()).list(filters)
    expect(page.items.map(({ key }) => key).join(' ')).toBe(keys)
  })

  test('names every bad filter', async () => {
    const bad = {
      connectionType: ['mysql', 'oracle'],
      testStatus: 'maybe',
      systemType: 'cloud',
      disabled: 'no',
      size: 0,
    }
    await expect((await filled()).list(bad as never)).rejects.toMatchObject({
      code: 'invalid_input',
      details: {
        issues: [
          { loc: ['size'] },
          { loc: ['connectionType'] },
          { loc: ['testStatus'] },
          { loc: ['systemType'] },
          { loc: ['disabled'] },
        ],
      },
    })
    await expect((await filled()).list({ testStatus: 'constructor' as never })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  })
})

describe('datasets of a connection', () => {
  test('are stored, linked, listed and unlinked', async () => {
    const { connections, datasets } = setUp()
    await connections.put({ key: 'db', connectionType: 'mysql' })
    await datasets.put({ service_key: 'shop', description: 'kept' })
    const attached = await connections.attachDataset('db', { service_key: 'shop', collections: [{ name: 'c' }] })
    expect(attached).toMatchObject({ connection_key: 'db', description: 'kept', collections: [{ name: 'c' }] })
    expect(attached.findings.map(({ type }) => type)).toContain('orphan_dataset')
    await connections.attachDataset('db', { service_key: 'crm' })
    await datasets.put({ service_key: 'free' })
    expect((await connections.datasets('db', { size: 1 })).total).toBe(2)
    expect((await connections.datasets('db')).items.map((item) => item.service_key)).toEqual(['crm', 'shop'])
    expect(await connections.dataset('db', 'shop')).toMatchObject({ service_key: 'shop' })
    await datasets.put({ service_key: 'shop' })
    expect(await datasets.get('shop')).toMatchObject({ connection_key: 'db' })
    await connections.detachDataset('db', 'shop')
    expect(await datasets.get('shop')).toMatchObject({ connection_key: null })
    for (const wrong of [connections.dataset('db', 'shop'), connections.detachDataset('db', 'free')]) {
      await expect(wrong).rejects.toMatchObject({ code: 'not_found', details: { kind: 'dataset' } })
    }
  })

  test('are refused by a second connection, and by one that does not exist', async () => {
    const { connections, datasets } = setUp()
    await connections.put({ key: 'one', connectionType: 'mysql' })
    await connections.put({ key: 'two', connectionType: 'mysql' })
    const links = ['one', 'two'].map((key) => connections.attachDataset(key, { service_key: 'shop' }))
    const { succeeded, failures } = await settle(links)
    expect(succeeded).toBe(1)
    expect(failures).toMatchObject([{ code: 'conflict', details: { kind: 'dataset', id: 'shop' } }])
    await expect(connections.attachDataset('no', { service_key: 'x' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(connections.attachDataset('one', {})).rejects.toMatchObject({ code: 'invalid_input' })
    await expect(connections.datasets('no')).rejects.toMatchObject({ code: 'not_found' })
    expect((await datasets.list()).total).toBe(1)
  })
})
