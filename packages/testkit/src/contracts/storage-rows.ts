import assert from 'node:assert/strict'
import { type CheckpointRow, type RowKind, type Storage, searchable } from '@habeas/core'
import { checkpointRow, datasetRow } from '../fixtures/stored-rows.js'
import type { Test } from '../test.js'
import { type Open, openedCases } from './opened-case.js'
import { rejection } from './rejection.js'

const awkwardState = {
  text: 'quote \' " backslash \\ percent % newline \n tab \t emoji 🧿 accent é',
  empty: '',
  numbers: [0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER],
  nothing: null,
  flags: [true, false],
  lists: [[], [[]], [{}]],
  'odd key . $ "': { constructor: 1, ...JSON.parse('{"toString": 2}') },
  prototype: JSON.parse('{"__proto__": {"admin": true}}'),
  deep: { a: { b: { c: [{ d: 'e' }] } } },
}

/** Changes a row in place; adapters may hand out frozen rows as well as copies. */
const tamper = (row: CheckpointRow): void => {
  const state = row.state as { list: number[] }
  for (const change of [() => state.list.push(2), () => Object.assign(row, { signature: 'tampered' })]) {
    try {
      change()
    } catch (error) {
      assert.ok(error instanceof TypeError)
    }
  }
}

/** Whether it was refused, for the right reason. */
const refusal = async (attempt: Promise<unknown>): Promise<boolean> => {
  try {
    await attempt
    return false
  } catch (error) {
    await rejection(Promise.reject(error), 'invalid_input')
    return true
  }
}

/** Inserting, getting and taking rows. */
export const storageRowsContract = (test: Test, open: Open<Storage>): void => {
  const given = openedCases(test, open, (storage) => storage.close())

  given('get gives the row that was inserted, and undefined for any other id', async (storage) => {
    const row = checkpointRow('a', { state: { done: true } })
    await storage.table('checkpoint').insert(row)
    assert.deepEqual(await storage.table('checkpoint').get('a'), row)
    assert.equal(await storage.table('checkpoint').get('A'), undefined)
  })

  given('JSON comes back as it went in, whatever characters it holds', async (storage) => {
    const row = checkpointRow('pri_1/odd id " \' % _ \\ é 🧿', { state: awkwardState })
    await storage.table('checkpoint').insert(row)
    assert.deepEqual(await storage.table('checkpoint').get(row.id), row)
    assert.deepEqual(await storage.table('checkpoint').find(), [row])
  })

  given('text that is not well-formed is kept as it is, or refused and nothing kept', async (storage) => {
    const table = storage.table('checkpoint')
    for (const text of ['nul \u0000', 'half \ud83e', '\udfff half']) {
      const rows = [
        checkpointRow(text),
        checkpointRow('b', { state: { [text]: 1 } }),
        checkpointRow('c', { state: text }),
      ]
      for (const row of rows) {
        const refused = await refusal(table.insert(row))
        if (!refused) assert.deepEqual(await table.take(row.id), row)
        await refusal(table.get(row.id))
        await refusal(table.insertMany([checkpointRow('d'), row]))
        await refusal(table.find({ where: { requestId: { in: ['pri_2', text] } } }))
        await refusal(table.count({ requestId: { contains: text } }))
        assert.equal(await table.count(), refused ? 0 : 2)
        await Promise.all([refused || table.take(row.id), refused || table.take('d')])
      }
    }
    // Text that looks like an escape of JSON is text like any other.
    const escapes = checkpointRow('\\u0000', { state: ['\\u0000', '\\\\ud800', '\\'] })
    await table.insert(escapes)
    assert.deepEqual(await table.get(escapes.id), escapes)
  })

  given('every row kind has a table of its own', async (storage) => {
    const kinds = Object.keys(searchable) as RowKind[]
    for (const kind of kinds) await storage.table(kind).insert({ ...datasetRow('same'), kind } as never)
    for (const kind of kinds) {
      assert.equal(((await storage.table(kind).get('same')) as unknown as { kind: string }).kind, kind)
      assert.equal(await storage.table(kind).count(), 1)
    }
  })

  given('changing a row that went in does not change what is stored', async (storage) => {
    const row = checkpointRow('a', { state: { list: [1] } })
    await storage.table('checkpoint').insert(row)
    tamper(row)
    assert.deepEqual(await storage.table('checkpoint').get('a'), checkpointRow('a', { state: { list: [1] } }))
  })

  given('changing a row that came out does not change what is stored', async (storage) => {
    const table = storage.table('checkpoint')
    const row = checkpointRow('a', { state: { list: [1] } })
    await table.insert(structuredClone(row))
    tamper((await table.get('a'))!)
    tamper((await table.find())[0]!)
    assert.deepEqual(await table.get('a'), row)
  })

  given('insert rejects with conflict when the id is taken, leaving the stored row as it is', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a', { signature: 'first' }))
    await rejection(table.insert(checkpointRow('a', { signature: 'second' })), 'conflict')
    assert.equal((await table.get('a'))?.signature, 'first')
  })

  given('of several inserts of one id at the same time exactly one succeeds', async (storage) => {
    const inserts = Array.from({ length: 10 }, () => storage.table('checkpoint').insert(checkpointRow('a')))
    const outcomes = await Promise.allSettled(inserts)
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1)
  })

  given('insertMany inserts all rows', async (storage) => {
    const rows = Array.from({ length: 1_000 }, (_, index) => checkpointRow(`row-${String(index).padStart(4, '0')}`))
    await storage.table('checkpoint').insertMany(rows)
    assert.deepEqual(await storage.table('checkpoint').find(), rows)
  })

  given('insertMany inserts none when one id is taken', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('b', { signature: 'first' }))
    await rejection(table.insertMany([checkpointRow('a'), checkpointRow('b'), checkpointRow('c')]), 'conflict')
    assert.deepEqual(await table.find(), [checkpointRow('b', { signature: 'first' })])
  })

  given('insertMany inserts none when an id comes twice', async (storage) => {
    const table = storage.table('checkpoint')
    await rejection(table.insertMany([checkpointRow('a'), checkpointRow('a')]), 'conflict')
    assert.equal(await table.count(), 0)
  })

  given('insertMany of no rows does nothing', async (storage) => {
    await storage.table('checkpoint').insertMany([])
    assert.equal(await storage.table('checkpoint').count(), 0)
  })

  given('take deletes and returns the row, and gives undefined when there is none', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insertMany([checkpointRow('a'), checkpointRow('b')])
    assert.deepEqual(await table.take('a'), checkpointRow('a'))
    assert.equal(await table.take('a'), undefined)
    assert.deepEqual(await table.find(), [checkpointRow('b')])
  })

  given('take hands a row to exactly one caller', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a'))
    const taken = await Promise.all(Array.from({ length: 20 }, () => table.take('a')))
    assert.deepEqual(
      taken.filter((row) => row !== undefined),
      [checkpointRow('a')],
    )
  })

  given('an id that was taken may be inserted again', async (storage) => {
    const table = storage.table('checkpoint')
    await table.insert(checkpointRow('a'))
    await table.take('a')
    await table.insert(checkpointRow('a', { signature: 'again' }))
    assert.equal((await table.get('a'))?.signature, 'again')
  })

  given('close may be called twice', async (storage) => {
    await storage.close()
    await storage.close()
  })
}
