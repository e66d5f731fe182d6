import { expect, it } from 'vitest'
import { ownDatabase } from './own-database.js'
import { serverUrl } from './server-url.js'

const world = ownDatabase()

it('does not take a database without collections for one that works, and names what the server has', async () => {
  await world.connected({ users: [{ _id: 1 }] })
  const { db, privacy } = world.of
  const tested = async (database: string) => {
    await privacy.connections.setSecrets('m', { url: serverUrl(), database }, { verify: false })
    return privacy.connections.test('m')
  }
  expect(await tested(db.databaseName)).toMatchObject({ testStatus: 'succeeded' })
  const misspelt = await tested(`${db.databaseName}x`)
  expect(misspelt).toMatchObject({ testStatus: 'failed' })
  expect(misspelt.failureReason).toContain('has no collection that its user may see')
  expect(misspelt.failureReason).toContain('the server has "')
  expect(misspelt.failureReason).not.toContain('"admin"')
})

it('counts the collection of the connector itself for none', async () => {
  await world.connected({ users: [{ _id: 1 }] })
  await world.of.db.collection('users').drop()
  await world.of.db.createCollection('habeas_fences')
  expect(await world.of.privacy.connections.test('m')).toMatchObject({ testStatus: 'failed' })
})
