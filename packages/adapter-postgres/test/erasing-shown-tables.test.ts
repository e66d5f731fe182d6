import { expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { erased, erasedShop, key, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const ann = 'ann@example.com'
const email = erased('email', { identity: 'email' })
const [note, place] = [erased('note'), erased('place')]
const deletes = { erase: 'delete' }
const bob = { email: 'bob@example.com', note: 'his', place: 'there' }

/** Erases Ann from a table and from a view of it, of which one comes before the other in the order of the description. */
async function erasedBoth(view: string, where: string, table: object, shown: object) {
  const database = await openDatabase(
    server.url,
    `create table people (id int primary key, email text, note text, place text);
     insert into people values (1, '${ann}', 'hers', 'here'), (2, '${bob.email}', '${bob.note}', '${bob.place}');
     create view ${view} as select * from people ${where};`,
  )
  try {
    const collections = [
      { name: 'people', ...table },
      { name: view, ...shown },
    ]
    await using shop = await erasedShop({ database, collections })
    const { status, failure } = await shop.erase({ email: ann })
    const { rows } = await database.client.query('select email, note, place from people order by id')
    return { status, failure, rows }
  } finally {
    await database.close()
  }
}

const masked = { email: null, note: null, place: null }

it.each<[string, object, object, readonly object[], string?]>([
  ['is deleted', { fields: [key, email, note], service_meta: deletes }, { fields: [key, email, note] }, [bob]],
  ['erases more', { fields: [key, email, note, place] }, { fields: [key, email, note] }, [masked, bob]],
  ['erases less', { fields: [key, email, note] }, { fields: [key, email, note, place] }, [masked, bob]],
  [
    'erases other fields',
    { fields: [key, email] },
    { fields: [key, plain('email', { identity: 'email' }), note, place] },
    [masked, bob],
    'where email is not null',
  ],
])('a table that %s than its view leaves nothing, whichever is named first', async (_, table, shown, left, where) => {
  for (const view of ['a_view', 'z_view']) {
    const { status, failure, rows } = await erasedBoth(view, where ?? '', table, shown)
    expect([view, status, failure, rows]).toEqual([view, 'complete', undefined, left])
  }
})

it('a table and a view that take rows from each other are refused before anything is written', async () => {
  const where = 'where note is not null'
  const { status, failure, rows } = await erasedBoth(
    'a_view',
    where,
    { fields: [key, email, note] },
    { fields: [key, email, place] },
  )
  expect([status, rows[0]]).toEqual(['error', { email: ann, note: 'hers', place: 'here' }])
  expect(failure).toContain("'shop:a_view' shows rows of 'shop:people', and an erasure writes fields of both")
})
