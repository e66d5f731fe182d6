import { setTimeout as delay } from 'node:timers/promises'
import { type Connection, type Erase, PrivacyError } from '@habeas/core'
import { describe } from 'vitest'
import { type BrokenEraser, changed, erasersFoundOut, erasing, failing, faulty } from './faulty-eraser.js'

const without = ({ pointers: _, ...erase }: Erase): Erase => erase

/** By how many rows each entry is beyond what may be. */
const beyond = ({ countEach }: Connection, { pointers = [] }: Erase): Promise<number[]> =>
  Promise.all(
    pointers.map(async ({ count, most }) =>
      (await countEach!(count)).reduce((sum, rows, at) => sum + Math.max(0, rows - most[at]!), 0),
    ),
  )

const check = (more: readonly number[]): void => {
  const position = more.findIndex((rows) => rows > 0)
  const details = { reason: 'shared_since', position, rows: more[position] ?? 0 }
  if (position !== -1) throw new PrivacyError('connection_failed', 'Shared since', details)
}

const left = 'a batch is left when more rows refer to it than allowed, and the count is named'
const faults: readonly BrokenEraser[] = [
  [
    'does not count who points to its rows',
    changed(without),
    left,
    'a tuple with fewer rows than allowed does not make up for another',
    'a missing table to count is named as missing',
  ],
  [
    'heeds the first count only',
    changed(({ pointers, ...erase }) => ({ ...erase, ...(pointers && { pointers: pointers.slice(0, 1) }) })),
    left,
  ],
  [
    'does not count in a trial',
    erasing((sound) => (erase, options) => sound(options?.rollBack ? without(erase) : erase, options)),
    left,
  ],
  [
    'does not say which count it is',
    failing((error) => new PrivacyError('connection_failed', error.message, { reason: 'shared_since' })),
    left,
  ],
  [
    'counts when it has written',
    faulty((connection) => ({
      async erase(erase, options) {
        await connection.erase!(without(erase), options)
        check(await beyond(connection, erase))
      },
    })),
    left,
  ],
  [
    'adds up what points to its rows',
    faulty((connection) => ({
      async erase(erase, options) {
        for (const { count, most } of erase.pointers ?? []) {
          const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)
          check([sum(await connection.countEach!(count)) - sum(most)])
        }
        await connection.erase!(without(erase), options)
      },
    })),
    'a tuple with fewer rows than allowed does not make up for another',
  ],
  [
    'looks for those that point as they are spelled',
    changed(({ pointers = [], ...erase }) => ({
      ...erase,
      pointers: pointers.map(({ count: { group, ...count }, most }) => {
        const { spelledAs: _, ...plain } = group
        return { count: { ...count, group: plain }, most }
      }),
    })),
    'rows that spell a key in another way are counted as well',
  ],
  [
    'counts before its transaction, and locks nothing',
    faulty((connection) => ({
      async erase(erase, options) {
        check(await beyond(connection, erase))
        await delay(5)
        await connection.erase!(without(erase), options)
      },
    })),
    'a row that comes to refer to deleted rows is counted, or finds them gone',
  ],
]

describe('connectorEraseContract, on rows that refer to others', () => erasersFoundOut(faults))
