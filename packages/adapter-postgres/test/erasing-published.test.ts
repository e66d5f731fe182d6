import { expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { erased, erasedShop, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const ann = 'ann@example.com'

it.each(['mask', 'delete'])('a published table without a replica identity says what it needs: %s', async (erase) => {
  const database = await openDatabase(
    server.url,
    `create table thing (email text, note text); insert into thing values ('${ann}', 'hers'), ('bob@example.com', 'his');`,
  )
  const publication = `published_${erase}`
  try {
    await database.client.query(`create publication ${publication} for table thing`)
    const fields = [plain('email', { identity: 'email' }), erased('note')]
    await using shop = await erasedShop({ database, collections: [{ name: 'thing', fields, service_meta: { erase } }] })
    const { status, failure } = await shop.erase({ email: ann })
    expect(status).toBe('error')
    expect(failure).toContain('give it a primary key, or run ALTER TABLE with REPLICA IDENTITY FULL')
    expect(failure).not.toContain('strategy')
    expect((await database.client.query('select note from thing')).rows).toEqual([{ note: 'hers' }, { note: 'his' }])
  } finally {
    await database.client.query(`drop publication if exists ${publication}`)
    await database.close()
  }
})
