import assert from 'node:assert/strict'
import type { Storage } from '@habeas/core'
import { checkpointRow, datasetRow } from '../fixtures/stored-rows.js'
import type { Test } from '../test.js'
import { type Open, openedCases } from './opened-case.js'

/** `replace`, the lock on which every claim and approval depends. */
export const storageVersionsContract = (test: Test, open: Open<Storage>): void => {
  const given = openedCases(test, open, (storage) => storage.close())

  given('replace writes the next version and returns true', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a'))
    const next = checkpointRow('a', { version: 2, state: { step: 2 } })
    assert.equal(await table.replace(next), true)
    assert.deepEqual(await table.get('a'), next)
    assert.equal(await table.replace({ ...next, version: 3 }), true)
  })

  given('replace returns false and writes nothing when the stored version is another one', async (storage) => {
    const table = storage.table('checkpoint')
    const stored = checkpointRow('a', { version: 2 })
    await table.insert(checkpointRow('a'))
    await table.replace(stored)
    for (const version of [1, 2, 4]) {
      assert.equal(await table.replace(checkpointRow('a', { version, signature: 'late' })), false)
    }
    assert.deepEqual(await table.get('a'), stored)
  })

  given('replace returns false and inserts nothing when there is no such row', async (storage) => {
    const table = storage.table('checkpoint')
    assert.equal(await table.replace(checkpointRow('a')), false)
    assert.equal(await table.replace(checkpointRow('a', { version: 2 })), false)
    assert.equal(await table.count(), 0)
  })

  given('of several replaces of one version at the same time exactly one writes', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a'))
    const results = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => ({
        signature: `writer-${index}`,
        wrote: await table.replace(checkpointRow('a', { version: 2, signature: `writer-${index}` })),
      })),
    )
    const winners = results.filter(({ wrote }) => wrote)
    assert.equal(winners.length, 1)
    assert.equal((await table.get('a'))?.signature, winners[0]?.signature)
  })

  given('a row that is replaced and taken at the same time is gone in the end', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a'))
    const [, taken] = await Promise.all([table.replace(checkpointRow('a', { version: 2 })), table.take('a')])
    assert.notEqual(taken, undefined)
    assert.equal(await table.get('a'), undefined)
  })

  given('replace writes the row as a whole: members left out are gone', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a', { state: { old: 1, kept: 2 } }))
    await table.replace(checkpointRow('a', { version: 2, state: { kept: 2 } }))
    assert.deepEqual((await table.get('a'))?.state, { kept: 2 })
  })

  given('find uses the values that were written last', async (storage) => {
    const table = storage.table('dataset')
    await table.insert(datasetRow('a', { connectionKey: 'old' }))
    await table.replace(datasetRow('a', { version: 2, connectionKey: 'new' }))
    assert.equal(await table.count({ connectionKey: { equals: 'old' } }), 0)
    assert.equal(await table.count({ connectionKey: { equals: 'new' } }), 1)
    await table.replace(datasetRow('a', { version: 3, connectionKey: null }))
    assert.equal(await table.count({ connectionKey: { isNull: true } }), 1)
  })
}
