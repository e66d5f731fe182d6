import { setTimeout as delay } from 'node:timers/promises'
import { PrivacyError } from '@habeas/core'
import { type MemoryRow, memoryConnector } from '@habeas/testkit'
import { describe } from 'vitest'
import {
  type BrokenEraser,
  changed,
  erasersFoundOut,
  erasing,
  failing,
  faulty,
  keysBy,
  part,
  rowByRow,
  rowsByKey,
  setting,
} from './faulty-eraser.js'

const faults: readonly BrokenEraser[] = [
  [
    'writes for good what is a trial',
    erasing((sound) => (erase) => sound(erase)),
    'with rollBack everything is tried and nothing is written',
  ],
  [
    'does not try',
    erasing((sound) => async (erase, options) => (options?.rollBack ? undefined : sound(erase))),
    'a check refuses a batch whole, and no value is repeated',
    'a key that names more rows than it should touches nothing, whatever groups they meet',
  ],
  [
    'commits before its worker is confirmed',
    erasing((sound) => async (erase, { fence, ...options } = {}) => {
      await sound(erase, options)
      await fence?.confirm()
    }),
    'a fenced write takes effect once its worker is confirmed, and not before',
    'a fenced write whose worker is not confirmed writes nothing',
  ],
  [
    'asks for its worker first, and writes without the lock',
    erasing((sound) => async (erase, { fence, ...options } = {}) => {
      await fence?.confirm()
      await sound(erase, options)
    }),
    'writes of an earlier worker can be ended, where writes are fenced',
  ],
  [
    'writes row by row',
    erasing(rowByRow),
    'a check refuses a batch whole, and no value is repeated',
    'a column that may not be null refuses a batch whole, and no value is repeated',
    'a length refuses a batch whole, and no value is repeated',
    'a key that names more rows than it should touches nothing, whatever groups they meet',
  ],
  [
    'repeats values in its message',
    failing(
      (error, erase) =>
        new PrivacyError('connection_failed', `${error.message}: ${JSON.stringify(erase)}`, error.details as never),
    ),
    'a unique key refuses a batch whole, and no value is repeated',
    'text in a column that takes none is refused, and not repeated',
  ],
  [
    'repeats values in the cause',
    failing(
      (error, erase) =>
        new PrivacyError('connection_failed', error.message, error.details as never, {
          cause: { detail: JSON.stringify(erase) },
        }),
    ),
    'a unique key refuses a batch whole, and no value is repeated',
  ],
  [
    'does not say that it was refused, or by what',
    failing((error) => new PrivacyError('connection_failed', error.message, { reason: 'other' })),
    'a foreign key that refers to a deleted row refuses a batch whole, and no value is repeated',
  ],
  [
    'does not name what refuses',
    failing((error) => new PrivacyError('connection_failed', error.message, { reason: 'refused' })),
    'a check refuses a batch whole, and no value is repeated',
    'a column that may not be null refuses a batch whole, and no value is repeated',
    'a primary key refuses a batch whole, and no value is repeated',
  ],
  [
    'does not count the rows of a key that is none',
    erasing((sound, database) => (erase, options) => {
      const holders = database[erase.collection]?.rows.filter((row) =>
        erase.key.every((name, part) => erase.keys[part]!.includes(row[name]!)),
      ).length
      return sound({ ...erase, ...(holders !== undefined && { rows: holders }) }, options)
    }),
    'a key that names more rows than it should touches nothing, whatever groups they meet',
    'where rows have no key, nothing is touched if their number differs',
  ],
  [
    'takes null for no part of a key',
    changed((erase) => (erase.rows === undefined ? erase : keysBy(erase, (value) => value ?? ''))),
    'rows without a key are told apart by what they hold, null and the last digit included',
  ],
  [
    'fails where rows are gone',
    erasing((sound, database) => async (erase, options) => {
      const gone = rowsByKey(erase, database).includes(undefined)
      if (gone && erase.collection === 'people') throw new PrivacyError('connection_failed', 'Rows are gone', {})
      return sound(erase, options)
    }),
    'rows that are no longer there are no failure',
  ],
  [
    'writes documents whole',
    setting((set) =>
      set.map((assigned) => ('to' in assigned ? assigned : { column: assigned.column, toEach: assigned.toEach })),
    ),
    'a member that was not read stays, and one that is gone or null does not come back',
    'a member that has changed meanwhile is left, and the others of its row are written',
    'elements of a list that has changed meanwhile are left',
  ],
  [
    'leaves a whole row in which one member has changed',
    setting((set, erase, database) => {
      const rows = rowsByKey(erase, database)
      return set.map((assigned) => {
        if ('to' in assigned || !assigned.was) return assigned
        const stale = (index: number) => {
          const was = assigned.was![index] as MemoryRow
          const now = rows[index]?.[assigned.column] as MemoryRow
          return was && now && Object.keys(was).some((name) => JSON.stringify(was[name]) !== JSON.stringify(now[name]))
        }
        return { ...assigned, toEach: assigned.toEach.map((to, index) => (stale(index) ? assigned.was![index]! : to)) }
      })
    }),
    'a member that has changed meanwhile is left, and the others of its row are written',
  ],
  [
    'writes a part of a large batch',
    changed((erase) => part(erase, 0, 100)),
    'a batch takes as many rows as the connector says',
  ],
  [
    'writes a batch in two halves',
    erasing((sound) => async (erase, options) => {
      const half = Math.ceil(erase.keys[0]!.length / 2)
      await sound(part(erase, 0, half), options)
      await delay(5)
      if (half < erase.keys[0]!.length) await sound(part(erase, half, erase.keys[0]!.length), options)
    }),
    'a connection that ends in the middle leaves a batch whole or undone',
  ],
  [
    'writes after it was closed',
    faulty((connection, database) => {
      const always = memoryConnector({ database })
      return {
        erase: async (erase, options) => (await always.connect({})).erase!(erase, options),
        countEach: connection.countEach!,
      }
    }),
    'after close, and where the server is away, erasing and counting is connection_failed',
  ],
  [
    'counts only what it finds',
    faulty((connection) => ({
      countEach: async (read, options) => (await connection.countEach!(read, options)).filter((count) => count > 0),
    })),
    'countEach gives each tuple, in their order, the number of rows that hold it',
  ],
  [
    'counts each tuple once',
    faulty((connection) => ({
      countEach: async (read, options) => {
        const counts = await connection.countEach!(read, options)
        const seen = new Set<string>()
        return counts.map((count, index) => {
          const tuple = JSON.stringify(read.group.values.map((column) => String(column[index])))
          return seen.size === seen.add(tuple).size ? 0 : count
        })
      },
    })),
    'countEach gives each tuple, in their order, the number of rows that hold it',
  ],
  [
    'counts no text in capitals',
    faulty((connection) => ({
      countEach: async (read, options) => {
        const counts = await connection.countEach!(read, options)
        const [texts = []] = read.group.values
        const isCounted = (text: unknown) => typeof text !== 'string' || text === text.toLowerCase()
        return counts.map((count, index) => (isCounted(texts[index]) ? count : 0))
      },
    })),
    'countEach counts no fewer rows than hold a text exactly, and no other text',
  ],
  [
    'counts with regard to case where it should not',
    faulty((connection) => ({
      countEach: ({ group, ...read }, options) => {
        const fields = group.fields.map(({ path }) => ({ path }))
        return connection.countEach!({ ...read, group: { ...group, fields } }, options)
      },
    })),
    'countEach lower-cases texts when asked for',
  ],
  [
    'finds nothing for a foreign key',
    faulty((connection) => ({
      countEach: async (read, options) => {
        const counts = await connection.countEach!(read, options)
        return read.references ? counts.map(() => 0) : counts
      },
    })),
    'countEach of a foreign key counts no fewer rows than hold each tuple',
  ],
  [
    'ignores when as it counts',
    faulty((connection) => ({
      countEach: ({ group: { fields, values }, ...read }, options) =>
        connection.countEach!({ ...read, group: { fields, values } }, options),
    })),
    'countEach gives each tuple, in their order, the number of rows that hold it',
  ],
]

describe('connectorEraseContract, on refusals and calls', () => erasersFoundOut(faults))
