import { expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const ann = 'ann@example.com'

it.each(['jsonb', 'json'])('a plain value of a %s column is masked where members are described', async (type) => {
  const held = [
    `"${ann}, 0123"`,
    '42',
    '["0123", {"phone": "0456", "kept": 1}]',
    '{"phone": "0456"}',
    'null',
    '{"by": {"id": 1}}',
  ]
  const rows = held.map((each, at) => `(${at}, '${ann}', 'secret', '${each}')`)
  const database = await openDatabase(
    server.url,
    `create table thing (id int primary key, email text, note text, contact ${type}); insert into thing values ${rows.join(', ')};`,
  )
  try {
    const contact = { ...plain('contact'), fields: [erased('phone')] }
    const fields = [plain('id', { primary_key: true }), plain('email', { identity: 'email' }), erased('note'), contact]
    await using shop = await erasedShop({ database, collections: [{ name: 'thing', fields }] })
    const request = await shop.erase({ email: ann })
    expect([request.status, request.failure]).toEqual(['complete', undefined])
    expect(countsOf(request)['thing']).toEqual({ masked: 6 })
    const { rows: left } = await database.client.query('select contact::text from thing order by id')
    expect(left.map((row) => (row.contact === null ? null : JSON.parse(row.contact)))).toEqual([
      null,
      null,
      [null, { phone: null, kept: 1 }],
      { phone: null },
      null,
      { by: { id: 1 } },
    ])
  } finally {
    await database.close()
  }
})

it.each(['char(9)', 'char(9)[]'])(
  'a text with a blank at its end is refused by %s before anything is written',
  async (type) => {
    const database = await openDatabase(
      server.url,
      `create table thing (id int primary key, email text, note text, code ${type});
     insert into thing values (1, '${ann}', 'secret', ${type === 'char(9)' ? `'a'` : `'{a}'`});`,
    )
    try {
      const rewritten = (value: string) => ({
        masking_strategy: { strategy: 'string_rewrite', configuration: { rewrite_value: value } },
      })
      const erasing = async (value: string) => {
        const fields = [key, erased('email', { identity: 'email' }), erased('note'), erased('code', rewritten(value))]
        await using shop = await erasedShop({ database, collections: [{ name: 'thing', fields }] })
        return await shop.erase({ email: ann })
      }
      const refused = await erasing('gone ')
      expect(refused).toMatchObject({ status: 'error', failure: expect.stringContaining('its column "code"') })
      const { rows } = await database.client.query('select email, note from thing')
      expect(rows).toEqual([{ email: ann, note: 'secret' }])
      expect(await erasing('gone')).toMatchObject({ status: 'complete' })
    } finally {
      await database.close()
    }
  },
)

it('a composite value with members that are null names its row, and leads to others', async () => {
  const database = await openDatabase(
    server.url,
    `create type place as (street text, floor int);
     create table thing (at place not null unique, email text, note text);
     create table visit (thing_at place, note text);
     insert into thing values ('("Mill Lane",)', '${ann}', 'hers'), ('("Mill Lane",2)', 'bob@example.com', 'his');
     insert into visit values ('("Mill Lane",)', 'hers'), ('("Mill Lane",2)', 'his'), ('(,)', 'nobody');`,
  )
  try {
    const thing = [plain('at', { primary_key: true }), plain('email', { identity: 'email' }), erased('note')]
    const collections = [
      { name: 'thing', fields: thing },
      { name: 'visit', fields: [refer('thing_at', 'thing.at', 'from'), erased('note')] },
    ]
    await using shop = await erasedShop({ database, collections })
    const request = await shop.erase({ email: ann })
    expect([request.status, request.failure]).toEqual(['complete', undefined])
    expect(countsOf(request)).toEqual({ thing: { masked: 1 }, visit: { masked: 1 } })
    const { rows } = await database.client.query('select note from thing union all select note from visit')
    expect(rows.map(({ note }) => note)).toEqual(expect.arrayContaining(['his', 'his', 'nobody', null, null]))
  } finally {
    await database.close()
  }
})
