import type pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { having, openDatabase, quoted, type TestDatabase } from './database.js'
import { sharedServer } from './shared-server.js'
import { erasure, pid, waitingFor } from './waiting-for.js'

const ann = 'ann@example.com'
const tables = `
create table address (id int primary key, street text);
create table customer (id int primary key, email text, address_id int references address);
insert into address values (7, 'Ann Lane'), (9, 'Bob Street');
insert into customer values (0, '${ann}', 7), (1, 'bob@example.com', 9), (2, '${ann}', 7);`

const server = sharedServer()
let database: TestDatabase
let other: pg.Client
beforeEach(async () => {
  database = await openDatabase(server.url, tables)
  other = await database.session()
})
afterEach(() => database.close())

const waiting = (who: string) => waitingFor(database.client, who)
const streets = async () => {
  const { rows } = await database.client.query('select street from address order by id')
  return rows.map(({ street }) => street)
}

describe('rows that decide who owns others', () => {
  const batch = {
    ...{ collection: 'address', key: ['id'], keys: [[7]], anyOf: [having('id', 7)] },
    set: [{ column: 'street', to: 'masked' }],
    unchanged: [{ collection: 'customer', group: { ...having('email', ann), exact: true }, rows: 2 }],
  } as const
  const changes = `update customer set email = 'eve@example.com' where id = 0`

  it.each([
    ['commit', { status: 'rejected', reason: { details: { reason: 'changed_since' } } }, 'Ann Lane'],
    ['rollback', { status: 'fulfilled' }, 'masked'],
  ])('make the erasure wait while somebody changes them: %s', async (ending, expected, street) => {
    const connection = await database.connect({ applicationName: 'habeas' })
    await other.query(`begin; ${changes}`)
    const ended = Promise.allSettled([connection.erase?.(batch)])
    await waiting(erasure)
    await other.query(ending)
    expect(await ended).toMatchObject([expected])
    expect((await streets())[0]).toBe(street)
  })

  it('stay unchanged until the batch is written', async () => {
    await database.client.query(`create function wait() returns trigger language plpgsql as
        $$ begin perform pg_advisory_xact_lock(43); return new; end $$;
      create trigger held before update on address for each row execute function wait()`)
    const holder = await database.session()
    await holder.query('select pg_advisory_lock(43)')
    const connection = await database.connect({ applicationName: 'habeas' })
    const writing = connection.erase?.(batch)
    await waiting(erasure)
    const changing = other.query(`${changes}; select street from address where id = 7`)
    expect(await waiting(pid(other))).toEqual(['habeas'])
    await holder.query('select pg_advisory_unlock(43)')
    await writing
    const [, seen] = (await changing) as unknown as pg.QueryResult[]
    expect(seen?.rows).toEqual([{ street: 'masked' }])
  })

  it('are checked but not locked where they are rows of a view that aggregates others', async () => {
    await database.client.query(`create view person as select email, count(*) from customer group by email`)
    const connection = await database.connect({ applicationName: 'habeas' })
    const person = (rows: number) => ({ ...batch, unchanged: [{ ...batch.unchanged[0], collection: 'person', rows }] })
    await expect(connection.erase?.(person(2))).rejects.toMatchObject({ details: { reason: 'changed_since' } })
    await connection.erase?.(person(1))
    expect((await streets())[0]).toBe('masked')
  })

  it('are checked but not locked where the user of the connection may not write to their table', async () => {
    const reader = `reader of ${database.schema}`
    const [schema, role] = [quoted(database.schema), quoted(reader)]
    await database.client.query(`create role ${role} login password 'reader';
      grant usage on schema ${schema} to ${role}; grant select, update on address to ${role}; grant select on customer to ${role}`)
    const url = Object.assign(new URL(server.url), { username: encodeURIComponent(reader), password: 'reader' }).href
    const connection = await database.connect({ applicationName: 'habeas' }, { url })
    await other.query(`begin; ${changes}`)
    await connection.erase?.(batch)
    await other.query('commit')
    await expect(connection.erase?.(batch)).rejects.toMatchObject({ details: { reason: 'changed_since' } })
    await connection.close()
    await database.client.query(`drop owned by ${role}; drop role ${role}`)
  })
})
