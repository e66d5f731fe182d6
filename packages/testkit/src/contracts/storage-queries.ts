import assert from 'node:assert/strict'
import type { Query, Storage, Where } from '@habeas/core'
import { connectionRow, datasetRow } from '../fixtures/stored-rows.js'
import type { Test } from '../test.js'
import { type Open, openedCases } from './opened-case.js'

/** By code point: neither alphabetical nor case-insensitive, nor by code unit. */
const idsInOrder = ['10', '9', 'A', 'Z', '_', 'a', 'a-b', 'a.b', 'a_b', 'aa', 'z', 'é', 'ｆ', '🧿']

/** Runs `where` in both its uses: `find` and `count` must agree. */
const foundDatasets = async (storage: Storage, where: Where<'dataset'>): Promise<string[]> => {
  const rows = await storage.table('dataset').find({ where })
  assert.equal(await storage.table('dataset').count(where), rows.length)
  return rows.map(({ id }) => id)
}

/** Conditions, order and pages. */
export const storageQueriesContract = (test: Test, open: Open<Storage>): void => {
  const given = openedCases(test, open, (storage) => storage.close())

  const givenDatasets = (name: string, run: (storage: Storage) => Promise<void>) =>
    given(name, async (storage) => {
      await storage
        .table('dataset')
        .insertMany([
          datasetRow('a', { connectionKey: 'app_db', searchText: '50% off', createdAt: '2025-01-03T00:00:00.000Z' }),
          datasetRow('b', { connectionKey: 'appXdb', searchText: '500 off', createdAt: '2025-01-02T00:00:00.000Z' }),
          datasetRow('c', { connectionKey: null, searchText: 'back\\slash', createdAt: '2025-01-01T00:00:00.000Z' }),
          datasetRow('d', { connectionKey: '', searchText: 'a_b', createdAt: '2025-01-02T00:00:00.000Z' }),
          datasetRow('e', { connectionKey: 'APP_DB', searchText: 'axb', createdAt: '2025-01-04T00:00:00.000Z' }),
        ])
      await run(storage)
    })

  given('find without a query gives all rows by id, text compared by code point', async (storage) => {
    await storage.table('dataset').insertMany([...idsInOrder].reverse().map((id) => datasetRow(id)))
    assert.deepEqual(
      (await storage.table('dataset').find()).map(({ id }) => id),
      idsInOrder,
    )
  })

  givenDatasets('equals and in compare exactly, and an empty in matches nothing', async (storage) => {
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { equals: 'app_db' } }), ['a'])
    assert.deepEqual(await foundDatasets(storage, { id: { equals: 'A' } }), [])
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { in: ['app_db', '', 'none'] } }), ['a', 'd'])
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { in: [] } }), [])
  })

  givenDatasets('lt, lte, gt and gte compare text by code point', async (storage) => {
    const day = '2025-01-02T00:00:00.000Z'
    assert.deepEqual(await foundDatasets(storage, { createdAt: { lt: day } }), ['c'])
    assert.deepEqual(await foundDatasets(storage, { createdAt: { lte: day } }), ['b', 'c', 'd'])
    assert.deepEqual(await foundDatasets(storage, { createdAt: { gt: day } }), ['a', 'e'])
    assert.deepEqual(await foundDatasets(storage, { createdAt: { gte: day } }), ['a', 'b', 'd', 'e'])
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { gt: 'Z' } }), ['a', 'b'])
  })

  givenDatasets('startsWith and contains take every character literally and mind case', async (storage) => {
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { startsWith: 'app_' } }), ['a'])
    assert.deepEqual(await foundDatasets(storage, { searchText: { startsWith: '50%' } }), ['a'])
    assert.deepEqual(await foundDatasets(storage, { searchText: { contains: '0%' } }), ['a'])
    assert.deepEqual(await foundDatasets(storage, { searchText: { contains: '_' } }), ['d'])
    assert.deepEqual(await foundDatasets(storage, { searchText: { contains: 'k\\s' } }), ['c'])
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { contains: 'PP' } }), ['e'])
    assert.deepEqual(await foundDatasets(storage, { searchText: { startsWith: 'slash' } }), [])
  })

  givenDatasets('isNull tells null and text apart, empty text included', async (storage) => {
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { isNull: true } }), ['c'])
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { isNull: false } }), ['a', 'b', 'd', 'e'])
  })

  givenDatasets('null meets no condition but isNull', async (storage) => {
    for (const condition of [{ lt: 'zzz' }, { gte: '' }, { startsWith: '' }, { contains: '' }, { lte: '' }]) {
      assert.ok(!(await foundDatasets(storage, { connectionKey: condition })).includes('c'))
    }
  })

  given('an absent field is null', async (storage) => {
    const { connectionKey: _absent, ...row } = datasetRow('a')
    await storage.table('dataset').insert(row as never)
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { isNull: true } }), ['a'])
  })

  givenDatasets('conditions must all hold, on one field and over several', async (storage) => {
    assert.deepEqual(await foundDatasets(storage, { connectionKey: { startsWith: 'app', contains: '_' } }), ['a'])
    const day = '2025-01-02T00:00:00.000Z'
    assert.deepEqual(await foundDatasets(storage, { createdAt: { equals: day }, searchText: { contains: 'off' } }), [
      'b',
    ])
    assert.deepEqual(await foundDatasets(storage, {}), ['a', 'b', 'c', 'd', 'e'])
  })

  given('boolean fields are compared, and sorted false before true', async (storage) => {
    const table = storage.table('connection')
    await table.insertMany([
      connectionRow('a', { disabled: true, lastTestSucceeded: true }),
      connectionRow('b', { disabled: false, lastTestSucceeded: false }),
      connectionRow('c', { disabled: false }),
    ])
    const ids = async (query: Query<'connection'>) => (await table.find(query)).map(({ id }) => id)
    assert.deepEqual(await ids({ where: { disabled: { equals: false } } }), ['b', 'c'])
    assert.deepEqual(await ids({ where: { lastTestSucceeded: { in: [false, true] } } }), ['a', 'b'])
    assert.deepEqual(await ids({ orderBy: [{ field: 'disabled' }] }), ['b', 'c', 'a'])
    assert.deepEqual(await ids({ orderBy: [{ field: 'lastTestSucceeded' }] }), ['b', 'a', 'c'])
  })

  given('numbers are compared as numbers', async (storage) => {
    const numbers = [-1e21, -10, -2, -0.5, 0, 0.5, 2, 10, 1e21]
    const table = storage.table('dataset')
    // No row kind has a numeric field so far. Adapters must not store numbers as text all the same.
    const rows = numbers.map((number, index) =>
      datasetRow(`row-${(index * 4) % 9}`, { connectionKey: number as never }),
    )
    await table.insertMany(rows)
    const found = async (query: Query<'dataset'>) => (await table.find(query)).map((row) => row.connectionKey)
    assert.deepEqual(await found({ orderBy: [{ field: 'connectionKey' }] }), numbers)
    assert.deepEqual(await found({ orderBy: [{ field: 'connectionKey', direction: 'desc' }] }), numbers.toReversed())
    const where = async (condition: object) => (await found({ where: { connectionKey: condition } })).map(Number).sort()
    assert.deepEqual(await where({ equals: 10 }), [10])
    assert.deepEqual(await where({ in: [-2, 0, 3] }), [-2, 0])
    assert.deepEqual(await where({ gt: -2, lte: 2 }), [-0.5, 0, 0.5, 2].sort())
    assert.deepEqual(await where({ contains: '1' }), [])
  })

  given('texts longer than an index holds are compared whole', async (storage) => {
    const start = 'é'.repeat(3_000)
    const table = storage.table('dataset')
    const texts = [`${start}c`, `${start}a`, start, `${start}b`, 'é']
    await table.insertMany(texts.map((text, index) => datasetRow(`row-${index}`, { connectionKey: text })))
    const found = async (query: Query<'dataset'>) =>
      (await table.find(query)).map(({ connectionKey }) => connectionKey?.slice(-1))
    assert.deepEqual(await found({ orderBy: [{ field: 'connectionKey' }] }), ['é', 'é', 'a', 'b', 'c'])
    assert.deepEqual(await found({ where: { connectionKey: { equals: `${start}b` } } }), ['b'])
    assert.deepEqual(await found({ where: { connectionKey: { in: [`${start}b`, 'x'] } } }), ['b'])
    assert.deepEqual(await found({ where: { connectionKey: { gt: `${start}a` } } }), ['c', 'b'])
    assert.deepEqual(await found({ where: { connectionKey: { startsWith: `${start}c` } } }), ['c'])
    assert.equal(await table.count({ connectionKey: { startsWith: start } }), 4)
    assert.equal(await table.count({ connectionKey: { gte: 'é' } }), 5)
  })

  const ordered = async (storage: Storage, orderBy: Query<'dataset'>['orderBy'] & object): Promise<string> =>
    (await storage.table('dataset').find({ orderBy })).map(({ id }) => id).join('')

  givenDatasets('orderBy puts nulls last in both directions', async (storage) => {
    assert.equal(await ordered(storage, [{ field: 'connectionKey' }]), 'debac')
    assert.equal(await ordered(storage, [{ field: 'connectionKey', direction: 'desc' }]), 'abedc')
  })

  givenDatasets('orderBy breaks ties by the next field, then by id upwards', async (storage) => {
    assert.equal(await ordered(storage, [{ field: 'createdAt' }]), 'cbdae')
    assert.equal(await ordered(storage, [{ field: 'createdAt', direction: 'desc' }]), 'eabdc')
    const twice = [{ field: 'createdAt' }, { field: 'searchText', direction: 'desc' }] as const
    assert.equal(await ordered(storage, twice), 'cdbae')
    assert.equal(await ordered(storage, [{ field: 'id', direction: 'desc' }]), 'edcba')
  })

  givenDatasets('limit and offset cut a page out of the ordered rows', async (storage) => {
    const page = async (limit: number | undefined, offset: number | undefined) => {
      const rows = await storage.table('dataset').find({
        where: { connectionKey: { isNull: false } },
        orderBy: [{ field: 'id', direction: 'desc' }],
        ...(limit !== undefined && { limit }),
        ...(offset !== undefined && { offset }),
      })
      return rows.map(({ id }) => id).join('')
    }
    assert.equal(await page(2, undefined), 'ed')
    assert.equal(await page(2, 1), 'db')
    assert.equal(await page(undefined, 3), 'a')
    assert.equal(await page(10, 4), '')
    assert.equal(await page(0, undefined), '')
  })
}
