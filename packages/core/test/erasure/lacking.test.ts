import { memoryConnector } from '@habeas/testkit'
import { expect, it } from 'vitest'
import { collection, field, refer } from '../engine/described.js'
import { changedConnector } from './changed-connector.js'
import { key, tableWith } from './described-erasure.js'
import { describeErasures, erasedOf, erasureWorld } from './erasure-world.js'

const ann = 'ann@example.com'

const customers = () => ({
  customer: tableWith({ id: 'integer', email: 'string', name: 'string' }, [[1, ann, 'Ann']]),
})

const dataset = (name: string) => ({
  service_key: name,
  collections: [collection('customer', [key, field('email', { identity: 'email' }, []), field('name')])],
})

/** Two databases of one connector. The server of `alone` says that it has no transactions once it is described. */
function connectorOfTwo() {
  const memory = memoryConnector({ databases: { whole: customers(), alone: customers() } })
  const tried: string[] = []
  const connector = changedConnector(memory, (connection, { database = '' }) => {
    let isDescribed = false
    return {
      lacks: () => (isDescribed && database === 'alone' ? ['transactions', 'fencing'] : []),
      async describe(options) {
        isDescribed = true
        return connection.describe(options)
      },
      async erase(erase, options) {
        if (options?.rollBack) tried.push(database)
        await connection.erase?.(erase, options)
      },
    }
  })
  return { connector, tried }
}

it('takes what a database lacks for a limit of this database alone', async () => {
  const { connector, tried } = connectorOfTwo()
  await using world = await erasureWorld(connector, [])
  for (const name of ['whole', 'alone']) {
    const connectionSecrets = { host: 'h', database: name }
    await describeErasures(world.privacy, connector.type, [dataset(name)], { connectionSecrets })
  }

  const request = await world.erase({ email: ann })
  expect(request.failure).toBeUndefined()
  expect(erasedOf(request)).toEqual({ 'whole:customer': 'masked 1', 'alone:customer': 'masked 1' })
  // without transactions what is tried would stay
  expect(tried).toEqual(['whole'])

  const receipt = await world.privacy.requests.receipt(request.id)
  const named = receipt.collections.map(({ dataset, writeLimits }) => [dataset, writeLimits])
  expect(Object.fromEntries(named)).toEqual({ whole: undefined, alone: ['transactions', 'fencing'] })

  const plan = await world.privacy.requests.plan(request.id)
  const limits = plan?.findings.filter(({ type }) => type === 'write_limits')
  expect(limits).toEqual([
    {
      type: 'write_limits',
      severity: 'warning',
      loc: ['connection', 'alone'],
      message:
        "The database of connection 'alone' has no transactions, so a batch that fails may have been written in part; it cannot end the writes of a process that was overtaken, so its last batch may still take effect.",
    },
  ])
})

it('takes what a table lacks for a limit of this table alone', async () => {
  const note = tableWith({ id: 'integer', email: 'string', name: 'string' }, [[1, ann, 'Ann']])
  const memory = memoryConnector({ databases: { whole: { ...customers(), note } } })
  const tried: string[] = []
  const connector = changedConnector(memory, (connection) => ({
    async describe(options) {
      const { collections } = await connection.describe(options)
      const limits = { writeLimits: ['transactions', 'row_locks'] as const }
      return { collections: collections.map((each) => (each.name === 'note' ? { ...each, ...limits } : each)) }
    },
    async erase(erase, options) {
      if (options?.rollBack) tried.push(erase.collection)
      await connection.erase?.(erase, options)
    },
  }))
  await using world = await erasureWorld(connector, [])
  const fields = [key, field('email', { identity: 'email' }, []), field('name')]
  const collections = ['customer', 'note'].map((name) => collection(name, fields))
  const connectionSecrets = { host: 'h', database: 'whole' }
  await describeErasures(world.privacy, connector.type, [{ service_key: 'whole', collections }], { connectionSecrets })

  const request = await world.erase({ email: ann })
  expect(erasedOf(request)).toEqual({ 'whole:customer': 'masked 1', 'whole:note': 'masked 1' })
  expect(tried).toEqual(['customer'])
  const receipt = await world.privacy.requests.receipt(request.id)
  const named = receipt.collections.map(({ collection, writeLimits }) => [collection, writeLimits])
  expect(Object.fromEntries(named)).toEqual({ customer: undefined, note: ['transactions', 'row_locks'] })
  const plan = await world.privacy.requests.plan(request.id)
  expect(plan?.findings.filter(({ type }) => type === 'write_limits')).toEqual([
    {
      type: 'write_limits',
      severity: 'warning',
      loc: ['whole', 'note'],
      message:
        "The table of 'whole:note' has no transactions, so a batch that fails may have been written in part; it locks no rows, so a change that others make while a batch is written is noticed only afterwards.",
    },
  ])
})

it('says of rows that were written before others came to refer to them that they may be changed', async () => {
  const database = {
    customer: tableWith({ id: 'integer', email: 'string', address_id: 'integer' }, [[1, ann, 7]]),
    address: tableWith({ id: 'integer', street: 'string' }, [[7, 'Home Lane']]),
  }
  const address = refer('address_id', 'address.id', { direction: 'to' })
  const shop = {
    service_key: 'shop',
    collections: [
      collection('customer', [key, field('email', { identity: 'email' }, []), { ...address, data_categories: [] }]),
      collection('address', [key, field('street')]),
    ],
  }
  const betweenRows = async () => {
    if (database.address.rows[0]?.['street'] === null && database.customer.rows.length === 1)
      database.customer.rows.push({ id: 2, email: 'eve@example.com', address_id: 7 })
  }
  const capabilities = { transactions: false, rowLocks: false }
  await using world = await erasureWorld(memoryConnector({ database, capabilities, betweenRows }), [shop])
  const { status, failure } = await world.erase({ email: ann })
  expect(status).toBe('error')
  expect(failure).toContain(
    "1 row of 'shop:customer' now refers to rows of 'shop:address', so these may belong to somebody else as well, and some may have been changed before that was seen: look at them, and retry to find their owners again.",
  )
  expect(database.address.rows).toEqual([{ id: 7, street: null }])
})

it('keeps what the source says of each collection where it enforces no keys', async () => {
  const named = () => tableWith({ id: 'integer', email: 'string', name: 'string' }, [[1, ann, 'Ann']])
  const memory = memoryConnector({ databases: { whole: { ...customers(), hybrid: named() } } })
  const unenforcing = { ...memory, capabilities: { ...memory.capabilities, enforcedKeys: false } }
  const connector = changedConnector(unenforcing, (connection) => ({
    async describe(options) {
      const { collections } = await connection.describe(options)
      const told = collections.map((each) => (each.name === 'hybrid' ? { ...each, keysEnforced: true } : each))
      return { collections: told, unasked: ['clone'] }
    },
  }))
  await using world = await erasureWorld(connector, [])
  const fields = [key, field('email', { identity: 'email' }, []), field('name')]
  const collections = ['customer', 'hybrid'].map((name) => collection(name, fields))
  const connectionSecrets = { host: 'h', database: 'whole' }
  await describeErasures(world.privacy, connector.type, [{ service_key: 'whole', collections }], { connectionSecrets })

  const findings = await world.privacy.datasets.findings('whole')
  expect(findings.map(({ message }) => message)).toContainEqual(
    expect.stringContaining("may not ask which clones keep rows of 'whole'"),
  )
  const { id } = await world.erase({ email: ann })
  const plan = await world.privacy.requests.plan(id)
  const keys = plan?.collections.map((planned) => [planned.collection, planned.erasure?.keySource])
  expect(Object.fromEntries(keys ?? [])).toEqual({ customer: 'declared', hybrid: 'primary key' })
})
