import type { FixtureTable } from '@habeas/testkit'
import type pg from 'pg'
import { expect, it } from 'vitest'
import { timescaleConnector } from '../src/index.js'
import { contractSuite } from './contract-suite.js'
import { quoted } from './database.js'

/** A superuser's URL of a database with TimescaleDB. The suites make schemas of their own and drop them. */
const url = () => {
  const { TIMESCALE_URL } = process.env
  if (!TIMESCALE_URL) throw new Error('TIMESCALE_URL names no server')
  return TIMESCALE_URL
}

const divided = new Set<string>()

/** Divides every table into chunks whose unique keys allow it. A hypertable cannot refer to another one. */
async function asHypertable(client: pg.Client, { name, columns, primaryKey, uniqueKeys, foreignKeys }: FixtureTable) {
  if (foreignKeys.some(({ references }) => divided.has(references.collection))) return
  const by = columns.find(
    ({ kind, name }) => /integer/.test(kind) && [primaryKey, ...uniqueKeys].every((key) => key.includes(name)),
  )
  if (!by || primaryKey.length === 0) return
  await client.query(`select public.create_hypertable('${quoted(name)}', public.by_range('${by.name}', 7))`)
  divided.add(name)
}

contractSuite(url, timescaleConnector, asHypertable)

it('ran the contract over hypertables as well as plain tables', () => {
  expect([...divided].sort()).toEqual(
    'aliases all_kinds attachments carts entries events mentions notes orders profiles seats'.split(' '),
  )
})
