import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postgresConnector } from '../../../adapter-postgres/src/index.js'
import { sharedServer } from '../../../adapter-postgres/test/shared-server.js'
import { ask, packageOf, service, user } from './world.js'

const field = (name: string, service_meta: object = {}) => ({ name, data_categories: user, service_meta })

const server = sharedServer()
let admin: pg.Client
let url: string

beforeAll(async () => {
  admin = new pg.Client({ connectionString: server.url })
  await admin.connect()
  url = server.url
})
afterAll(async () => {
  await admin.end()
})

describe('case_insensitive over PostgreSQL: the server lower-cases both sides', () => {
  it.each([
    ['c', `template template0 locale 'C' encoding 'UTF8'`],
    ['icu', `template template0 locale_provider icu icu_locale 'und' locale 'C' encoding 'UTF8'`],
    ['tr', `template template0 locale_provider icu icu_locale 'tr' locale 'C' encoding 'UTF8'`],
  ])('a row that holds the identity exactly as it was given is found (%s)', async (name, how) => {
    await admin.query(`create database ci_${name} ${how}`)
    const here = url.replace(/\/[^/]*$/, `/ci_${name}`)
    const client = new pg.Client({ connectionString: here })
    await client.connect()
    const texts = ['ÉVA@x.org', 'ΟΔΟΣ@X.org', 'İpek@x.org', 'IRMAK@x.org', 'ΑΣ', 'plain@X.org']
    await client.query('create table person (id int primary key, email text)')
    for (const [at, text] of texts.entries()) await client.query('insert into person values ($1, $2)', [at, text])
    await client.end()
    const privacy = await service(
      postgresConnector(),
      {
        service_key: 'shop',
        collections: [
          { name: 'person', fields: [field('id'), field('email', { identity: 'email', case_insensitive: true })] },
        ],
      },
      {},
      { url: here },
    )
    const missed: string[] = []
    for (const email of texts) {
      const { id, status } = await ask(privacy, { email })
      expect(status).toBe('complete')
      if (!(await packageOf(privacy, id))['shop:person']) missed.push(email)
    }
    await privacy.close()
    expect(missed).toEqual([])
  })
})

it('a look-alike beyond ASCII case, which the server lower-cases to the same text, is another person', async () => {
  const victims = ['mark@x.org', 'sam@x.org', 'ångel@x.org', 'éva@x.org']
  await admin.query('create table look_alike (id int primary key, email text)')
  for (const [at, text] of victims.entries()) await admin.query('insert into look_alike values ($1, $2)', [at, text])
  const privacy = await service(
    postgresConnector(),
    {
      service_key: 'shop',
      collections: [{ name: 'look_alike', fields: [field('id'), field('email', { identity: 'email' })] }],
    },
    {},
    { url },
  )
  const found = async (email: string) => {
    const { id, status } = await ask(privacy, { email })
    expect(status).toBe('complete')
    return (await packageOf(privacy, id))['shop:look_alike']
  }
  for (const email of ['mar\u212a@x.org', '\u017fam@x.org', '\u212bngel@x.org', 'ÉVA@x.org'])
    expect(await found(email)).toBeUndefined()
  expect(await found(' MARK@X.org')).toMatchObject([{ email: 'mark@x.org' }])
  await privacy.close()
})

it('statements that the server refuses leave no listeners on the client', async () => {
  const connection = await postgresConnector({ poolSize: 1 }).connect({ url })
  await admin.query('create table refused (id int); create role nobody_here login; ')
  const mine = await postgresConnector({ poolSize: 1 }).connect({ url: url.replace('postgres@', 'nobody_here@') })
  const warnings: string[] = []
  const listen = (warning: Error) => warnings.push(warning.message)
  process.on('warning', listen)
  const read = { collection: 'refused', columns: ['id'], anyOf: [{ fields: [{ path: ['id'] }], values: [[1]] }] }
  for (let at = 0; at < 15; at++) {
    await expect(
      (async () => {
        for await (const _ of mine.read(read)) {
        }
      })(),
    ).rejects.toMatchObject({ details: { reason: 'permission' } })
  }
  await new Promise((resolve) => setTimeout(resolve, 50))
  process.off('warning', listen)
  await Promise.all([connection.close(), mine.close()])
  expect(warnings).toEqual([])
})
