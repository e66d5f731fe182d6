import { describe, expect, it } from 'vitest'
import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

const ann = 'ann@example.com'
/** Keeps `note` from being written, without a word. */
const keeping = `create function keep() returns trigger language plpgsql as 'begin new.note := old.note; return new; end';
create trigger keep before update on thing for each row execute function keep();`
const email = plain('email', { identity: 'email' })

const server = sharedServer()

/** Erases Ann's things, retried once where that fails. */
async function eraseThings(setUp: string, fields: readonly object[], erase: 'mask' | 'delete' = 'mask') {
  const database = await openDatabase(server.url, setUp)
  try {
    const collections = [{ name: 'thing', service_meta: { erase }, fields }]
    await using shop = await erasedShop({ database, collections })
    const id = await shop.submit({ email: ann })
    const first = await shop.run(id)
    const request = first.status === 'error' ? await shop.run(id) : first
    const { rows } = await database.client.query('select note from thing')
    const { status, failure } = request
    const counts = countsOf(request)['thing']
    return {
      status,
      failure,
      counts,
      notes: rows.map(({ note }) => note),
      ...(first !== request && { first: first.failure }),
    }
  } finally {
    await database.close()
  }
}

describe('keys that no search would find are read back as they are', () => {
  const fields = [plain('k', { primary_key: true }), email, erased('note')]
  const keys = [
    ['numeric', `'NaN'`],
    ['float8', `'-Infinity'`],
    ['int[]', `'{1,2}'`],
    ['text[]', `'{"a,b",NULL}'`],
    ['jsonb', `'{"a": [1, null]}'`],
    ['date', `'4713-01-01 BC'`],
    ['date', `'5874897-12-31'`],
    ['timestamp', `'294276-01-01 00:00:00.5'`],
    ['timestamptz', `'infinity'`],
  ] as const
  const table = (type: string, value: string) =>
    `create table thing (k ${type} primary key, email text, note text); insert into thing values (${value}, '${ann}', 'secret');`

  it.each(keys)('%s %s', async (type, value) => {
    const masked = await eraseThings(table(type, value), fields)
    expect(masked).toEqual({ status: 'complete', failure: undefined, counts: { masked: 1 }, notes: [null] })
    const deleted = await eraseThings(table(type, value), fields, 'delete')
    expect(deleted).toEqual({ status: 'complete', failure: undefined, counts: { erased: 1 }, notes: [] })
    const kept = await eraseThings(`${table(type, value)} ${keeping}`, fields)
    expect(kept).toMatchObject({ status: 'error', notes: ['secret'] })
  })
})

it('a row whose key a trigger moves with the write is no row that was gone', async () => {
  const moving = `create table thing (k int primary key, email text, note text); insert into thing values (1, '${ann}', 'secret');
    create function move() returns trigger language plpgsql as 'begin new.note := old.note; new.k := old.k + 1; return new; end';
    create trigger move before update on thing for each row execute function move();`
  const fields = [plain('k', { primary_key: true }), erased('email', { identity: 'email' }), erased('note')]
  const { first, ...ended } = await eraseThings(moving, fields)
  expect(first).toContain("1 row of 'shop:thing' was written, and is not found by its k any more")
  const notes = ['secret']
  expect(ended).toEqual({ status: 'complete', failure: undefined, counts: { gone: 1 }, notes })
})

describe('rows that only their values tell apart', () => {
  const rows = (...values: string[]) =>
    `create table thing (email text, note text, place text); insert into thing values ${values.join(', ')};`
  const fields = [erased('email', { identity: 'email' }), erased('note'), erased('place')]
  const hers = `('${ann}', 'secret', 'here')`

  it('are found again where the server computes a column anew', async () => {
    const computed = `create table thing (email text, note text, place text,
      both_of text generated always as (coalesce(email, '-') || coalesce(note, '-')) stored);
      insert into thing values ${hers}, ${hers}, ('bob@example.com', 'other', 'here');`
    const ended = await eraseThings(computed, [...fields, plain('both_of')])
    expect(ended).toMatchObject({ status: 'complete', counts: { masked: 2 }, notes: ['other', null, null] })
  })

  it('count as masked where that many more rows than before hold the new values', async () => {
    const given = rows(hers, hers, `('${ann}', null, 'there')`, '(null, null, null)')
    expect(await eraseThings(given, fields)).toMatchObject({ status: 'complete', counts: { masked: 3 } })
  })

  it('do not where a trigger has kept a part, even if other rows look alike, and a retry does not forget it', async () => {
    const kept = await eraseThings(`${rows(hers, '(null, null, null)')} ${keeping}`, fields)
    expect(kept).toMatchObject({ status: 'error', failure: expect.stringContaining('email, note, place') })
    expect(kept.notes).toContain('secret')
  })
})
