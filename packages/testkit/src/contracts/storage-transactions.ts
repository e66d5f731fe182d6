import assert from 'node:assert/strict'
import type { Storage } from '@habeas/core'
import { checkpointRow, datasetRow } from '../fixtures/stored-rows.js'
import type { Test } from '../test.js'
import { changeOfMind, rolledBack } from './change-of-mind.js'
import { deadline, latch, pause } from './deadline.js'
import { type Open, openedCases } from './opened-case.js'
import { rejection } from './rejection.js'

const promptly = deadline()

/** All of a transaction's writes, or none. */
export const storageTransactionsContract = (test: Test, open: Open<Storage>): void => {
  const given = openedCases(test, open, (storage) => storage.close())

  given('a transaction applies all writes of its work and gives its result', async (storage) => {
    await storage.table('checkpoint').insertMany([checkpointRow('replaced'), checkpointRow('taken')])
    const result = await storage.transaction(async (inside) => {
      await inside.table('checkpoint').insert(checkpointRow('inserted'))
      await inside.table('checkpoint').replace(checkpointRow('replaced', { version: 2 }))
      await inside.table('checkpoint').take('taken')
      await inside.table('dataset').insert(datasetRow('elsewhere'))
      return 'result'
    })
    assert.equal(result, 'result')
    const rows = await storage.table('checkpoint').find()
    assert.deepEqual(rows, [checkpointRow('inserted'), checkpointRow('replaced', { version: 2 })])
    assert.equal(await storage.table('dataset').count(), 1)
  })

  given('a transaction whose work rejects leaves no write behind', async (storage) => {
    const before = [checkpointRow('a'), checkpointRow('b')]
    await storage.table('checkpoint').insertMany(before)
    const work = storage.transaction(async (inside) => {
      await inside.table('dataset').insert(datasetRow('new'))
      await inside.table('checkpoint').insertMany([checkpointRow('c'), checkpointRow('d')])
      await inside.table('checkpoint').replace(checkpointRow('a', { version: 2 }))
      await inside.table('checkpoint').take('b')
      throw changeOfMind
    })
    await rolledBack(work)
    assert.deepEqual(await storage.table('checkpoint').find(), before)
    assert.equal(await storage.table('dataset').count(), 0)
    assert.equal(await storage.table('checkpoint').replace(checkpointRow('a', { version: 2 })), true)
  })

  given('work sees its own writes', async (storage) => {
    await storage.table('checkpoint').insert(checkpointRow('taken'))
    await storage.transaction(async (inside) => {
      const table = inside.table('checkpoint')
      await table.insert(checkpointRow('a', { requestId: 'pri_2' }))
      assert.deepEqual(await table.get('a'), checkpointRow('a', { requestId: 'pri_2' }))
      assert.equal(await table.count({ requestId: { equals: 'pri_2' } }), 1)
      assert.equal(await table.replace(checkpointRow('a', { version: 2 })), true)
      assert.equal(await table.replace(checkpointRow('a', { version: 2 })), false)
      assert.equal(await table.count({ requestId: { equals: 'pri_2' } }), 0)
      await table.take('taken')
      assert.equal(await table.get('taken'), undefined)
      assert.deepEqual(
        (await table.find()).map(({ id }) => id),
        ['a'],
      )
      await rejection(table.insert(checkpointRow('a')), 'conflict')
    })
  })

  given('no other reader sees a write before its transaction has ended', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a'))
    await storage.transaction(async (inside) => {
      await inside.table('checkpoint').insert(checkpointRow('b'))
      await inside.table('checkpoint').replace(checkpointRow('a', { version: 2 }))
      assert.equal(await table.get('b'), undefined)
      assert.equal((await table.get('a'))?.version, 1)
      assert.equal(await table.count(), 1)
    })
    assert.equal(await table.count(), 2)
  })

  given('of two transactions that replace one version exactly one does', async (storage) => {
    await storage.table('checkpoint').insert(checkpointRow('a'))
    const held = latch()
    const replace = (signature: string, hold: () => Promise<void>) =>
      storage.transaction(async (inside) => {
        const wrote = await inside.table('checkpoint').replace(checkpointRow('a', { version: 2, signature }))
        await hold()
        return wrote
      })
    const first = replace('first', async () => {
      held.open()
      // Long enough for the second transaction to reach the row that this one holds.
      await pause(50)
    })
    await held.opened
    const second = replace('second', async () => {})
    assert.deepEqual(await promptly(Promise.all([first, second]), 'both transactions end'), [true, false])
    assert.equal((await storage.table('checkpoint').get('a'))?.signature, 'first')
  })

  given('a replace outside waits for a transaction that holds the row', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a'))
    let outside: Promise<boolean> | undefined
    const inside = storage.transaction(async (transaction) => {
      await transaction.table('checkpoint').replace(checkpointRow('a', { version: 2, signature: 'inside' }))
      outside = table.replace(checkpointRow('a', { version: 2, signature: 'outside' }))
      await pause(50)
    })
    await promptly(inside, 'the transaction ends')
    assert.equal(await promptly(outside!, 'the other replace ends'), false)
    assert.equal((await table.get('a'))?.signature, 'inside')
  })

  given('a row taken by a transaction that rolls back can be taken again', async (storage) => {
    await storage.table('checkpoint').insert(checkpointRow('a'))
    const work = storage.transaction(async (inside) => {
      await inside.table('checkpoint').take('a')
      throw changeOfMind
    })
    const [, taken] = await Promise.all([rolledBack(work), storage.table('checkpoint').take('a')])
    const again = await storage.table('checkpoint').take('a')
    assert.equal([taken, again].filter((row) => row !== undefined).length, 1)
  })

  given('a conflict that work catches does not spoil its transaction', async (storage) => {
    await storage.table('checkpoint').insert(checkpointRow('a'))
    await storage.transaction(async (inside) => {
      await rejection(inside.table('checkpoint').insert(checkpointRow('a')), 'conflict')
      await inside.table('checkpoint').insert(checkpointRow('b'))
    })
    assert.equal(await storage.table('checkpoint').count(), 2)
  })

  given('a transaction inside another rolls back alone, and with the outer one', async (storage) => {
    const insert = (inside: Storage, id: string) => inside.table('checkpoint').insert(checkpointRow(id))
    await storage.transaction(async (outer) => {
      await insert(outer, 'a')
      const inner = outer.transaction(async (inside) => {
        await insert(inside, 'b')
        throw changeOfMind
      })
      await rolledBack(inner)
      await outer.transaction((inside) => insert(inside, 'c'))
    })
    const work = storage.transaction(async (outer) => {
      await outer.transaction((inside) => insert(inside, 'd'))
      throw changeOfMind
    })
    await rolledBack(work)
    assert.deepEqual(
      (await storage.table('checkpoint').find()).map(({ id }) => id),
      ['a', 'c'],
    )
  })

  given('rows that could not be inserted together do not spoil a transaction', async (storage) => {
    await storage.table('checkpoint').insert(checkpointRow('b'))
    await storage.transaction(async (inside) => {
      const rows = ['a', 'b', 'c'].map((id) => checkpointRow(id))
      await rejection(inside.table('checkpoint').insertMany(rows), 'conflict')
      await inside.table('checkpoint').insert(checkpointRow('d'))
    })
    assert.deepEqual(
      (await storage.table('checkpoint').find()).map(({ id }) => id),
      ['b', 'd'],
    )
  })

  given('what a transaction gave its work refuses to do more once it has ended', async (storage) => {
    const kept: Storage[] = []
    await storage.transaction(async (inside) => {
      kept.push(inside)
      await inside.transaction(async (within) => void kept.push(within))
    })
    for (const inside of kept) {
      await rejection(inside.table('checkpoint').insert(checkpointRow('late')), 'internal')
      await rejection(
        inside.transaction(async () => {}),
        'internal',
      )
    }
    assert.equal(await storage.table('checkpoint').count(), 0)
  })
}
