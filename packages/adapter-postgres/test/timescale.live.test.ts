import type { FixtureTable } from '@habeas/testkit'
import type pg from 'pg'
import { expect, it } from 'vitest'
import { timescaleConnector } from '../src/index.js'
import { contractSuite } from './contract-suite.js'
import { divide, timescaleUrl } from './hypertables.js'

const divided = new Set<string>()

/** Divides every table into chunks whose unique keys allow it. A hypertable cannot refer to another one. */
async function asHypertable(client: pg.Client, { name, columns, primaryKey, uniqueKeys, foreignKeys }: FixtureTable) {
  if (foreignKeys.some(({ references }) => divided.has(references.collection))) return
  const by = columns.find(
    ({ kind, name }) => /integer/.test(kind) && [primaryKey, ...uniqueKeys].every((key) => key.includes(name)),
  )
  if (!by || primaryKey.length === 0) return
  await divide(client, name, by.name, '7')
  divided.add(name)
}

contractSuite(timescaleUrl, timescaleConnector, asHypertable)

it('ran the contract over hypertables as well as plain tables', () => {
  expect([...divided].sort()).toEqual(
    'aliases all_kinds attachments carts entries events mentions notes orders profiles seats'.split(' '),
  )
})
