import { memoryConnector } from '@habeas/testkit'
import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { changedConnector } from './changed-connector.js'
import { key, tableWith } from './described-erasure.js'
import { erasureWorld } from './erasure-world.js'

const ann = 'ann@example.com'

/** A source that finds no row by the key 3, as one that compares a kind of key in a way of its own. */
function blindConnector() {
  const contact = tableWith({ id: 'integer', email: 'string', note: 'string' }, [
    [1, ann, 'first'],
    [3, ann, 'second'],
  ])
  const memory = memoryConnector({ database: { contact } })
  const connector = changedConnector(memory, (connection) => ({
    async *read(read, options) {
      const isByKey = read.anyOf.some(({ fields }) => fields.some(({ path }) => path[0] === 'id'))
      const at = read.columns.indexOf('id')
      for await (const batch of connection.read(read, options))
        yield isByKey ? batch.filter((row) => row[at] !== 3) : batch
    },
    async erase(erase, options) {
      const seen = erase.keys.map((part) => part.map((value) => (value === 3 ? 999 : value)))
      await connection.erase?.({ ...erase, keys: seen }, options)
    },
  }))
  return { connector, contact }
}

test.each(['mask', 'delete'] as const)('a row that its key does not find is not taken for gone (%s)', async (how) => {
  const { connector, contact } = blindConnector()
  const fields = [key, field('email', { identity: 'email' }), field('note')]
  const shop = { service_key: 'shop', collections: [collection('contact', fields, { erase: how })] }
  await using world = await erasureWorld(connector, [shop])
  const { status, failure } = await world.erase({ email: ann })
  expect(contact.rows.filter(({ email }) => email === ann)).toHaveLength(1)
  expect(status).toBe('error')
  expect(failure).toMatch(/1 row of 'shop:contact' still holds data|1 row of the person appeared/)
  expect(await world.privacy.isErased({ email: ann })).toBe(false)
})
