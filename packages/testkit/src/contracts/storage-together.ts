import assert from 'node:assert/strict'
import type { Storage } from '@habeas/core'
import { checkpointRow, datasetRow } from '../fixtures/stored-rows.js'
import type { Test } from '../test.js'
import { type Open, openedCases } from './opened-case.js'
import { rejection } from './rejection.js'

/** `writeAll` and `findAll`, of storages that offer them. */
export const storageTogetherContract = (test: Test, open: Open<Storage>): void => {
  const given = openedCases(test, open, (storage) => storage.close())

  given('writeAll applies writes of every kind, and put counts versions on', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insertMany(['replaced', 'known', 'put', 'taken'].map((id) => checkpointRow(id)))
    if (!storage.writeAll) return
    const written = await storage.writeAll([
      { kind: 'checkpoint', replace: checkpointRow('replaced', { version: 2 }) },
      { kind: 'checkpoint', insert: [checkpointRow('new 1'), checkpointRow('new 2')] },
      { kind: 'checkpoint', add: [checkpointRow('known', { signature: 'other' }), checkpointRow('new 3')] },
      { kind: 'checkpoint', put: [checkpointRow('put', { signature: 'other' }), checkpointRow('new 4')] },
      { kind: 'checkpoint', take: ['taken', 'unknown'] },
      { kind: 'dataset', insert: [datasetRow('elsewhere')] },
    ])
    assert.equal(written, true)
    assert.deepEqual(await table.find(), [
      checkpointRow('known'),
      ...['new 1', 'new 2', 'new 3', 'new 4'].map((id) => checkpointRow(id)),
      checkpointRow('put', { signature: 'other', version: 2 }),
      checkpointRow('replaced', { version: 2 }),
    ])
    assert.equal(await storage.table('dataset').count(), 1)
    assert.equal(await table.replace(checkpointRow('put', { version: 3 })), true)
  })

  given('writeAll writes nothing when its replace finds another version', async (storage) => {
    const before = [checkpointRow('put'), checkpointRow('replaced'), checkpointRow('taken')]
    const table = storage.table('checkpoint')
    await table.insertMany(before)
    if (!storage.writeAll) return
    for (const version of [1, 3]) {
      const written = await storage.writeAll([
        { kind: 'checkpoint', insert: [checkpointRow('new 1')] },
        { kind: 'checkpoint', replace: checkpointRow('replaced', { version }) },
        { kind: 'checkpoint', add: [checkpointRow('new 2')] },
        { kind: 'checkpoint', put: [checkpointRow('put', { signature: 'other' })] },
        { kind: 'checkpoint', take: ['taken'] },
      ])
      assert.equal(written, false)
      assert.deepEqual(await table.find(), before)
    }
  })

  given('writeAll names the kind of a row whose id is taken, and writes nothing', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insertMany([checkpointRow('a'), checkpointRow('b')])
    await storage.table('dataset').insert(datasetRow('taken'))
    if (!storage.writeAll) return
    const attempt = storage.writeAll([
      { kind: 'checkpoint', replace: checkpointRow('a', { version: 2 }) },
      { kind: 'checkpoint', insert: [checkpointRow('new')] },
      { kind: 'checkpoint', take: ['b'] },
      { kind: 'dataset', insert: [datasetRow('free'), datasetRow('taken')] },
    ])
    assert.equal(((await rejection(attempt, 'conflict')).details as { kind: string }).kind, 'dataset')
    assert.deepEqual(await table.find(), [checkpointRow('a'), checkpointRow('b')])
    assert.equal(await storage.table('dataset').count(), 1)
  })

  given('of several writeAll with one replace exactly one writes', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a'))
    if (!storage.writeAll) return
    const written = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        storage.writeAll?.([
          { kind: 'checkpoint', put: [checkpointRow('b', { signature: `${at}` })] },
          { kind: 'checkpoint', replace: checkpointRow('a', { version: 2, signature: `${at}` }) },
        ]),
      ),
    )
    assert.equal(written.filter(Boolean).length, 1)
    const [a, b] = await table.find()
    assert.equal(a?.signature, `${written.indexOf(true)}`)
    assert.deepEqual([b?.signature, b?.version], [a?.signature, 1])
  })

  given('findAll returns the rows of each query, in the order of the query', async (storage) => {
    const rows = ['c', 'a', 'd', 'b'].map((id, at) => checkpointRow(id, { requestId: `pri_${at % 2}` }))
    await storage.table('checkpoint').insertMany(rows)
    await storage.table('dataset').insert(datasetRow('only'))
    if (!storage.findAll) return
    const found = await storage.findAll([
      { kind: 'checkpoint', where: { requestId: { equals: 'pri_1' } } },
      { kind: 'dataset' },
      { kind: 'checkpoint', orderBy: [{ field: 'id', direction: 'desc' }], limit: 2, offset: 1 },
      { kind: 'connection' },
      { kind: 'checkpoint', orderBy: [{ field: 'requestId', direction: 'desc' }] },
    ])
    assert.deepEqual(
      found.map((some) => some.map(({ id }) => id)),
      [['a', 'b'], ['only'], ['c', 'b'], [], ['a', 'b', 'c', 'd']],
    )
    assert.deepEqual(found[1], [datasetRow('only')])
  })
}
