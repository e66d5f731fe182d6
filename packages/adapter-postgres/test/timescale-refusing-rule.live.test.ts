import { expect, it } from 'vitest'
import { timescaleConnector } from '../src/index.js'
import { openDatabase } from './database.js'
import { divide, timescaleUrl } from './hypertables.js'

it.each([
  ['unique index', 'create unique index visit_place on visit (at, place)', 'visit_place'],
  ['unique key', 'alter table visit add constraint visit_key unique (at, place)', 'visit_key'],
  ['check', `alter table visit add constraint visit_check check (place <> '-')`, 'visit_check'],
])('a %s that refuses has the name of the hypertable, not of its chunk', async (_, rule, constraint) => {
  const database = await openDatabase(timescaleUrl(), '', timescaleConnector)
  const connection = await timescaleConnector().connect({ url: database.url, db_schema: database.schema })
  try {
    await database.client.query('create table visit (id int, at timestamptz not null, place text)')
    await divide(database.client, 'visit', 'at', `interval '7 days'`)
    await database.client.query(rule)
    await database.client.query(
      `insert into visit values (1, '2024-01-31', 'x'), (2, '2024-01-31', 'y'), (3, '2024-06-01', 'z')`,
    )
    const erased = connection.erase?.({
      collection: 'visit',
      key: ['id'],
      keys: [[1, 2]],
      rows: 2,
      anyOf: [{ fields: [{ path: ['id'] }], values: [[1, 2]] }],
      set: [{ column: 'place', to: '-' }],
    })
    await expect(erased).rejects.toMatchObject({ details: { reason: 'refused', constraint } })
  } finally {
    await connection.close()
    await database.close()
  }
})
