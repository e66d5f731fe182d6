import assert from 'node:assert/strict'
import type { Storage } from '@habeas/core'
import { checkpointRow } from '../fixtures/stored-rows.js'
import type { Test } from '../test.js'
import { changeOfMind, rolledBack } from './change-of-mind.js'
import { deadline, latch, pause } from './deadline.js'
import { type Open, openedCases } from './opened-case.js'
import { rejection } from './rejection.js'

const promptly = deadline()

/** Waits, the first time, until the expected number of callers has arrived; later calls do not wait. */
const meeting = (expected: number): (() => Promise<void>) => {
  const everybody = latch()
  let come = 0
  return async () => {
    come += 1
    if (come >= expected) everybody.open()
    await everybody.opened
  }
}

/** Transactions that meet. */
export const storageConcurrencyContract = (test: Test, open: Open<Storage>): void => {
  const given = openedCases(test, open, (storage) => storage.close())

  given('transactions that wait for each other all end, each applied once', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insertMany([checkpointRow('a', { state: 0 }), checkpointRow('b', { state: 0 })])
    const add = async (inside: Storage, id: string): Promise<void> => {
      const row = await inside.table('checkpoint').get(id)
      assert.ok(row)
      const next = { ...row, version: row.version + 1, state: Number(row.state) + 1 }
      if (!(await inside.table('checkpoint').replace(next))) await add(inside, id)
    }
    const metInTheMiddle = meeting(2)
    const crosswise = (ids: readonly string[]) =>
      storage.transaction(async (inside) => {
        for (const id of ids) {
          await add(inside, id)
          await metInTheMiddle()
        }
      })
    await promptly(Promise.all([crosswise(['a', 'b']), crosswise(['b', 'a'])]), 'both transactions end')
    assert.deepEqual(
      (await table.find()).map(({ version, state }) => [version, state]),
      [
        [3, 2],
        [3, 2],
      ],
    )
  })

  given(
    'a transaction that had to give way is run again even if its work caught the error and went on',
    async (storage) => {
      const table = storage.table('checkpoint')
      await table.insertMany([checkpointRow('a'), checkpointRow('b')])
      const metInTheMiddle = meeting(2)
      const crosswise = (first: string, second: string) =>
        storage.transaction(async (inside) => {
          const write = (id: string) => inside.table('checkpoint').replace(checkpointRow(id, { version: 2 }))
          const wrote = [await write(first)]
          await metInTheMiddle()
          wrote.push(await write(second).catch(() => false))
          await inside
            .table('checkpoint')
            .insert(checkpointRow(`by ${first}`, { state: wrote }))
            .catch(() => {})
        })
      await promptly(Promise.all([crosswise('a', 'b'), crosswise('b', 'a')]), 'both transactions end')
      const left = (await table.find({ where: { id: { startsWith: 'by ' } } })).map(({ state }) => state)
      assert.equal(left.length, 2)
      assert.deepEqual(new Set(left.map(String)), new Set(['true,true', 'false,false']))
    },
  )

  given('of two transactions that insert one id exactly one succeeds, and the other rejects', async (storage) => {
    const held = latch()
    const first = storage.transaction(async (inside) => {
      await inside.table('checkpoint').insert(checkpointRow('a', { signature: 'first' }))
      held.open()
      await pause(50)
    })
    await held.opened
    const second = storage.transaction((inside) =>
      inside.table('checkpoint').insert(checkpointRow('a', { signature: 'second' })),
    )
    const both = Promise.all([first, rejection(second, 'conflict')])
    await promptly(both, 'both transactions end')
    assert.equal((await storage.table('checkpoint').get('a'))?.signature, 'first')
  })

  given('an id whose insert was rolled back is free for another transaction', async (storage) => {
    const held = latch()
    const first = storage.transaction(async (inside) => {
      await inside.table('checkpoint').insert(checkpointRow('a', { signature: 'first' }))
      held.open()
      await pause(50)
      throw changeOfMind
    })
    await held.opened
    const second = storage.table('checkpoint').insertMany([checkpointRow('a', { signature: 'second' })])
    await promptly(Promise.all([rolledBack(first), second]), 'both end')
    assert.equal((await storage.table('checkpoint').get('a'))?.signature, 'second')
  })

  given('of two transactions that take one row exactly one has it', async (storage) => {
    await storage.table('checkpoint').insert(checkpointRow('a'))
    const take = () =>
      storage.transaction(async (inside) => {
        const row = await inside.table('checkpoint').take('a')
        await pause(20)
        return row
      })
    const taken = await promptly(Promise.all([take(), take()]), 'both transactions end')
    assert.deepEqual(
      taken.filter((row) => row !== undefined),
      [checkpointRow('a')],
    )
  })

  given('no write is lost among many that read, count up and replace', async (storage) => {
    await storage.table('checkpoint').insert(checkpointRow('a', { state: 0 }))
    const countUp = async (): Promise<void> => {
      const wrote = await storage.transaction(async (inside) => {
        const row = await inside.table('checkpoint').get('a')
        assert.ok(row)
        return inside.table('checkpoint').replace({ ...row, version: row.version + 1, state: Number(row.state) + 1 })
      })
      if (!wrote) await countUp()
    }
    await promptly(Promise.all(Array.from({ length: 12 }, countUp)), 'all have counted')
    assert.deepEqual(await storage.table('checkpoint').get('a'), checkpointRow('a', { version: 13, state: 12 }))
  })

  given('many transactions at the same time all end, each applied once', async (storage) => {
    const transactions = Array.from({ length: 50 }, (_, index) =>
      storage.transaction(async (inside) => {
        await inside.table('checkpoint').insert(checkpointRow(`first-${index}`))
        if (index % 5 === 0) throw changeOfMind
        await inside.table('checkpoint').insert(checkpointRow(`second-${index}`))
      }),
    )
    const outcomes = await promptly(Promise.allSettled(transactions), 'all transactions end')
    assert.equal(outcomes.filter(({ status }) => status === 'rejected').length, 10)
    assert.equal(await storage.table('checkpoint').count(), 80)
  })
}
