import assert from 'node:assert/strict'
import type { CatalogueCollection, Connection, ValueKind } from '@habeas/core'
import type { FixtureKind } from '../fixtures/fixture.js'
import { respelled } from '../fixtures/respelled.js'
import { shop } from '../fixtures/shop.js'
import type { Test } from '../test.js'
import { type ConnectorContractOptions, connectorCases, type OpenConnector, tableOf } from './connector-under-test.js'
import { knownForeignKeys } from './limited-source.js'

const usualKinds: Record<FixtureKind, ValueKind> = {
  integer: 'integer',
  big_integer: 'integer',
  decimal: 'decimal',
  float: 'float',
  boolean: 'boolean',
  string: 'string',
  uuid: 'uuid',
  date: 'date',
  timestamp: 'timestamp',
  bytes: 'bytes',
  object: 'object',
}

const described = async (connection: Connection, name: string): Promise<CatalogueCollection> => {
  const { collections } = await connection.describe()
  const collection = collections.find((candidate) => candidate.name === name)
  assert.ok(collection !== undefined, `${name} is described`)
  return collection
}

const asTexts = (keys: readonly (readonly string[])[]): string[] => keys.map((key) => key.join('/')).sort()

/** The live schema as `describe` gives it. */
export const connectorDescribeContract = (test: Test, open: OpenConnector, options: ConnectorContractOptions): void => {
  const given = connectorCases(test, open, options)
  const ownKey = options.ownKey === undefined ? [] : [options.ownKey]
  const withoutOwn = <Named extends { readonly name: string }>(columns: readonly Named[]) =>
    columns.filter(({ name }) => name !== options.ownKey)

  given('describe lists every table once, and every column in its order', async ({ connection }) => {
    const { collections } = await connection.describe()
    for (const each of shop) {
      const table = respelled(each, options.spelling)
      const found = collections.filter(({ name }) => name === table.name)
      assert.equal(found.length, 1, table.name)
      assert.deepEqual(
        found[0]?.columns.map(({ name }) => name),
        [...ownKey, ...table.columns.map(({ name }) => name)],
      )
    }
  })

  given('describe gives each column its kind and its type', async ({ connection }) => {
    const kinds = { ...usualKinds, ...options.kinds }
    const { columns } = await described(connection, 'all_kinds')
    assert.deepEqual(
      withoutOwn(columns).map(({ name, kind }) => [name, kind]),
      tableOf('all_kinds').columns.map(({ name, kind }) => [name, kinds[kind]]),
    )
    for (const { name, type } of columns) assert.ok(type.length > 0, `${name} has a type`)
  })

  given('describe tells which columns may be null and how long a text may be', async ({ connection }) => {
    const { columns } = await described(connection, 'customers')
    assert.deepEqual(
      withoutOwn(columns).map(({ name, nullable }) => [name, nullable]),
      tableOf('customers').columns.map(({ name, nullable = false }) => [name, nullable]),
    )
    const lengths = columns.filter(({ name }) => ['number', 'name'].includes(name)).map(({ length }) => length)
    assert.deepEqual(lengths, options.lengths === false ? [undefined, undefined] : [20, 100])
    const content = (await described(connection, 'attachments')).columns.find(({ name }) => name === 'content')
    assert.ok((content?.length ?? Number.POSITIVE_INFINITY) >= 256 * 1024)
  })

  given('describe gives primary keys in the order of their parts, unique keys apart', async ({ connection }) => {
    for (const name of ['customers', 'order_lines', 'remarks']) {
      const { primaryKey, uniqueKeys } = await described(connection, name)
      const table = tableOf(name)
      const isOwn = ownKey.length > 0
      const keyed = options.primaryKeys === false ? [] : table.primaryKey
      assert.deepEqual(primaryKey, isOwn ? ownKey : keyed)
      const unique = isOwn && table.primaryKey.length > 0 ? [table.primaryKey, ...table.uniqueKeys] : table.uniqueKeys
      assert.deepEqual(asTexts(uniqueKeys), options.uniqueKeys === false ? [] : asTexts(unique))
    }
  })

  given('describe gives foreign keys with their delete rules, part by part', async ({ connection }) => {
    for (const name of ['customers', 'orders', 'order_lines', 'shipments', 'events']) {
      const { foreignKeys } = await described(connection, name)
      assert.deepEqual(foreignKeys, knownForeignKeys(tableOf(name).foreignKeys, options))
    }
  })

  given('describe gives the columns of each index, keys included', async ({ connection }) => {
    const { indexes } = await described(connection, 'order_lines')
    const expected = options.indexes === false ? [] : ['line/order_id', 'order_id/sku']
    for (const index of expected) assert.ok(asTexts(indexes).includes(index), index)
    if (options.indexes === false) assert.deepEqual(indexes, [])
    const ofRemarks = (await described(connection, 'remarks')).indexes
    assert.deepEqual(ofRemarks, options.indexes === false ? [] : ownKey.map((column) => [column]))
  })
}
