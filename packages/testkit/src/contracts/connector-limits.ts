import assert from 'node:assert/strict'
import type { CatalogueCollection } from '@habeas/core'
import { ledger } from '../fixtures/ledger.js'
import { shop } from '../fixtures/shop.js'
import type { Test } from '../test.js'
import type { ConnectorContractOptions, ConnectorUnderTest, OpenConnector } from './connector-under-test.js'
import { deadline } from './deadline.js'
import type { EraseContractOptions, OpenErase } from './erase-under-test.js'
import type { LimitedCollection } from './limited-source.js'
import { openedCases } from './opened-case.js'

/** Declares a case over each limited collection as the source itself describes it. */
const describedCases = (test: Test, open: () => ReturnType<OpenConnector>, options: EraseContractOptions) => {
  const { only = {} } = options
  const given = openedCases<ConnectorUnderTest>(test, open, ({ connection }) =>
    deadline(options)(connection.close(), 'close resolves'),
  )
  return (name: string, check: (live: CatalogueCollection, limits: LimitedCollection) => void) =>
    given(name, async ({ connection }) => {
      const { collections } = await connection.describe()
      for (const live of collections) if (Object.hasOwn(only, live.name)) check(live, only[live.name]!)
    })
}

/** What the catalogue of a source that answers few questions has to say, so that the engine asks it no others. */
export const connectorLimitsContract = (test: Test, open: OpenConnector, options: ConnectorContractOptions): void => {
  if (options.only === undefined) return
  const given = describedCases(test, () => open(shop), options)

  given('columns by which rows cannot be looked up are not of the kind string', ({ name, columns }, { lookups }) => {
    // The engine searches columns of this kind for the identities of an erased person.
    for (const column of columns)
      if (!lookups.includes(column.name)) assert.notEqual(column.kind, 'string', `${name}.${column.name}`)
  })
}

/** The same for a source that can delete rows. */
export const connectorEraseLimitsContract = (test: Test, open: OpenErase, options: EraseContractOptions): void => {
  if (options.only === undefined) return
  const given = describedCases(test, () => open(ledger), options)

  given('rows that can be deleted have a key by which they can be looked up', (live, { lookups, deletes = false }) => {
    // The engine reads rows again by their keys.
    if (deletes) assert.ok(lookups.some((column) => live.primaryKey.includes(column)))
  })
}
