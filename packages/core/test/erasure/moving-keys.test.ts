import { memoryConnector } from '@habeas/testkit'
import { expect, it } from 'vitest'
import { collection, field } from '../engine/described.js'
import { changedConnector } from './changed-connector.js'
import { key, tableWith } from './described-erasure.js'
import { erasedOf, erasureWorld } from './erasure-world.js'

const ann = 'ann@example.com'

/** A source in which a trigger gives a row another key, and puts its note back, when its row is written. */
function movingConnector() {
  const contact = tableWith({ id: 'integer', email: 'string', note: 'string' }, [
    [1, ann, 'first'],
    [2, ann, 'second'],
  ])
  const memory = memoryConnector({ database: { contact } })
  const connector = changedConnector(memory, (connection) => ({
    async erase(erase, options = {}) {
      const was = new Map(contact.rows.map((row) => [row['id'], row['note']]))
      await connection.erase?.(erase, options)
      if (options.rollBack) return
      options.touched?.(erase.keys[0]?.length ?? 0)
      for (const row of contact.rows) {
        if (row['id'] !== 2 || row['note'] !== null) continue
        Object.assign(row, { id: 20, note: was.get(2) })
      }
    },
  }))
  return { connector, contact }
}

const shop = (more = {}) => ({
  service_key: 'shop',
  collections: [collection('contact', [key, field('email', { identity: 'email' }), field('note')], more)],
})

it('does not take a row for gone that it has written and whose key has moved since', async () => {
  const { connector, contact } = movingConnector()
  await using world = await erasureWorld(connector, [shop()])
  const request = await world.erase({ email: ann })
  expect(contact.rows).toContainEqual({ id: 20, email: null, note: 'second' })
  expect(request).toMatchObject({ status: 'error' })
  expect(request.failure).toContain(
    "1 row of 'shop:contact' was written, and is not found by its id any more: a trigger may have changed id, and have put data back as well. Look whether it holds data of the person, erase by hand what is left, and retry: a retry counts what it does not find as gone.",
  )
  expect(await world.privacy.isErased({ email: ann })).toBe(false)

  await world.privacy.requests.retry(request.id)
  const retried = await world.privacy.requests.settled(request.id)
  expect(retried).toMatchObject({ status: 'complete' })
  expect(erasedOf(retried)).toEqual({
    'shop:contact':
      'masked 1, gone 1 (it was written, and then not found by its key: a trigger may have changed the key, and have put data back)',
  })
})

it('tells a row that was gone before it was reached from one that has moved', async () => {
  const { connector, contact } = movingConnector()
  const late = changedConnector(connector, (connection) => ({
    async erase(erase, options) {
      if (!options?.rollBack) contact.rows = contact.rows.filter(({ id }) => id !== 2)
      await connection.erase?.(erase, { ...options, touched: () => options?.touched?.(1) })
    },
  }))
  await using world = await erasureWorld(late, [shop()])
  const request = await world.erase({ email: ann })
  expect(request.failure).toBeUndefined()
  expect(erasedOf(request)).toEqual({ 'shop:contact': 'masked 1, gone 1' })
})

it('refuses to mask by a key that the database writes anew with each change, and takes another', async () => {
  const columns = [
    { name: 'changed', kind: 'string' as const, rewritten: true as const },
    { name: 'email', kind: 'string' as const, nullable: true },
    { name: 'code', kind: 'string' as const, nullable: false },
  ]
  const rows = () => [{ changed: 'now', email: ann, code: 'a' }]
  const fields = [
    field('changed', { primary_key: true }, []),
    field('email', { identity: 'email' }),
    field('code', {}, []),
  ]
  const shopOf = (more = {}) => [{ service_key: 'shop', collections: [collection('contact', fields, more)] }]
  const end = async (more: { uniqueKeys?: string[][] }, service_meta: object = {}) => {
    const contact = { columns, primaryKey: ['changed'], ...more, rows: rows() }
    await using world = await erasureWorld(memoryConnector({ database: { contact } }), shopOf(service_meta))
    const request = await world.erase({ email: ann })
    return { ...erasedOf(request), failure: request.failure }
  }
  expect((await end({})).failure).toContain(
    "'shop:contact' cannot be masked: its rows are identified by changed, and the database writes changed anew with each change of a row.",
  )
  expect(await end({ uniqueKeys: [['code']] })).toEqual({ 'shop:contact': 'masked 1' })
  expect(await end({}, { erase: 'delete' })).toEqual({ 'shop:contact': 'erased 1' })
})

it('tells rows without a key apart by what the database does not write anew', async () => {
  const contact = {
    ...{
      columns: [
        { name: 'changed', kind: 'integer' as const, rewritten: true as const },
        { name: 'email', kind: 'string' as const, nullable: true },
        { name: 'note', kind: 'string' as const, nullable: true },
      ],
    },
    rows: [1, 2, 3].map((changed) => ({ changed, email: changed === 3 ? 'bob@example.com' : ann, note: 'hi' })),
  }
  let now = 10
  const connector = changedConnector(memoryConnector({ database: { contact } }), (connection) => ({
    async erase(erase, options) {
      await connection.erase?.(erase, options)
      if (options?.rollBack) return
      for (const row of contact.rows) if (row.note === null) row.changed = now++
    },
  }))
  const fields = [field('changed', {}, []), field('email', { identity: 'email' }), field('note')]
  await using world = await erasureWorld(connector, [
    { service_key: 'shop', collections: [collection('contact', fields)] },
  ])
  const request = await world.erase({ email: ann })
  expect(request.failure).toBeUndefined()
  expect(erasedOf(request)).toEqual({ 'shop:contact': 'masked 2' })
  expect(contact.rows.filter(({ email }) => email !== null)).toEqual([
    { changed: 3, email: 'bob@example.com', note: 'hi' },
  ])
})
