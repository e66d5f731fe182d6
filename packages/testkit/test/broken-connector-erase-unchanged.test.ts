import { type Erase, PrivacyError } from '@habeas/core'
import { describe } from 'vitest'
import { type BrokenEraser, changed, erasersFoundOut, erasing, failing, faulty } from './faulty-eraser.js'

const without = ({ unchanged: _, ...erase }: Erase): Erase => erase

const left = 'a batch is left when rows that say whose it is have changed'
const faults: readonly BrokenEraser[] = [
  [
    'does not look at rows that say whose its own are',
    changed(without),
    left,
    'a missing table that must be unchanged is named as missing',
  ],
  [
    'heeds the first entry only',
    changed(({ unchanged, ...erase }) => ({ ...erase, ...(unchanged && { unchanged: unchanged.slice(0, 1) }) })),
    left,
  ],
  [
    'does not look in a trial',
    erasing((sound) => (erase, options) => sound(options?.rollBack ? without(erase) : erase, options)),
    left,
  ],
  ['does not look beside counts', changed((erase) => (erase.pointers ? without(erase) : erase)), left],
  [
    'wants each row to be there once',
    changed(({ unchanged, ...erase }) => ({
      ...erase,
      ...(unchanged && { unchanged: unchanged.map((rows) => ({ ...rows, rows: 1 })) }),
    })),
    left,
  ],
  [
    'wants all tuples to be there',
    changed(({ unchanged, ...erase }) => ({
      ...erase,
      ...(unchanged && { unchanged: unchanged.map((rows) => ({ ...rows, rows: rows.group.values[0]!.length })) }),
    })),
    left,
  ],
  [
    'takes null for nothing',
    changed(({ unchanged, ...erase }) => ({
      ...erase,
      ...(unchanged && {
        unchanged: unchanged.map(({ group: { exact: _, ...group }, ...rows }) => ({
          ...rows,
          group: {
            ...group,
            values: group.values.map((column) => [...column].map((value) => value ?? 'null')),
            exact: true,
          },
        })),
      }),
    })),
    left,
  ],
  [
    'does not say why',
    failing((error) => new PrivacyError('connection_failed', error.message, { reason: 'moved' })),
    left,
  ],
  [
    'deletes whatever refers to its rows by now',
    changed(({ referencedBy: _, ...erase }) => erase),
    'rows are deleted only while the cascading foreign keys are those that were described',
  ],
  [
    'looks when it has written',
    faulty((connection) => ({
      async erase(erase, options) {
        await connection.erase!(without(erase), options)
        await connection.erase!(erase, { rollBack: true })
      },
    })),
    left,
  ],
]

describe('connectorEraseContract, on rows that decide who owns others', () => erasersFoundOut(faults))
