import type { DatasetInput, PrivacyService } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openService } from './open-service.js'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

const ann = { email: 'ann@example.com' }
const user = { data_categories: ['user'] }
const key = { name: 'id', service_meta: { primary_key: true } }
const email = { name: 'email', data_categories: [] as string[], service_meta: { identity: 'email' } }

/** Fields inside of a JSON column: what is read and masked, and what is said where rows would be looked for by them. */
const dataset: DatasetInput = {
  service_key: 'shop',
  collections: [
    {
      name: 'people',
      fields: [
        key,
        email,
        {
          name: 'doc',
          fields: [
            { name: 'nick', ...user },
            { name: 'points', data_categories: [] },
          ],
        },
      ],
    },
    { name: 'leads', fields: [key, { name: 'doc', fields: [email, { name: 'phone', ...user }] }] },
    {
      name: 'profiles',
      fields: [
        key,
        {
          name: 'doc',
          fields: [
            {
              name: 'person_id',
              data_categories: [],
              service_meta: { references: [{ dataset: 'shop', field: 'people.id', direction: 'from' }] },
            },
          ],
        },
        { name: 'bio', ...user },
      ],
    },
  ],
}

const whole = { name: 'whole', ...user, service_meta: { masking_strategy: { strategy: 'null_rewrite' } } } as const
const member = (name: string, categories: string[] = ['user']) => ({ name, data_categories: categories })

/** Documents as programs write them: with escapes on MariaDB, and with values that no JSON text has on MySQL. */
const written: Readonly<Record<Kind, { readonly doc: string; readonly whole: string }>> = {
  mysql: {
    doc: `json_object('nick', timestamp '2024-01-02 03:04:05', '-1', x'00ff', 'straße', 12345678901234.5678, 'kept', json_array(date '2024-01-02', 9.90))`,
    whole: `json_object('at', time '10:11:12', 'bit', b'1', 'price', 9.90)`,
  },
  mariadb: {
    doc: String.raw`'{"nick":"Ren\\u00e9","nick":"Ann","-1":"x","stra\\u00dfe":"\\ud83d\\ude00","kept":["https:\\/\\/x.com",9.90,12345678901234.5678]}'`,
    whole: String.raw`'["https:\\/\\/x.com\\/a","Caf\\u00e9"]'`,
  },
}
const kept: Readonly<Record<Kind, unknown[]>> = {
  mysql: ['["2024-01-02", 9.90]', 'DATE'],
  mariadb: ['["https://x.com", 9.90, 12345678901234.5678]', 'STRING'],
}

/** Each element of a list is masked. */
const masksWhole: Readonly<Record<Kind, string | null>> = { mysql: null, mariadb: '[null,null]' }

const writtenDataset: DatasetInput = {
  service_key: 'shop',
  collections: [
    {
      name: 'people',
      fields: [
        key,
        email,
        { name: 'doc', fields: [member('nick'), member('-1'), member('straße'), member('kept', [])] },
        whole,
      ],
    },
    { name: 'visits', fields: [email, { name: 'doc', fields: [member('nick'), member('kept', [])] }, whole] },
  ],
}

export function jsonSuite(kind: Kind): void {
  describe(`documents that equal no text of theirs, on ${kind}`, () => {
    let database: TestDatabase
    let privacy: PrivacyService
    beforeAll(async () => {
      database = await openDatabase(kind)
      const { doc, whole } = written[kind]
      const rows = `1, '${ann.email}', ${doc}, ${whole} union all select 2, 'bob@example.com', ${doc}, ${whole}`
      await database.run(
        'create table people (id int primary key, email varchar(190), doc json, whole json)',
        `insert into people select ${rows}`,
        `insert into people values (3, '${ann.email}', null, null)`,
        'create table visits (seen int, email varchar(190), doc json, whole json)',
        `insert into visits select ${rows}`,
        `insert into visits select * from visits`,
        `update visits set doc = json_object('nick', 'Ann', 'kept', 'é')`,
        `insert into visits select seen + 10, concat('other-', email), doc, whole from visits`,
        `update visits set doc = ${doc} where seen > 10`,
      )
      privacy = await openService(kind, database.url)
      await privacy.connections.attachDataset('shop', writtenDataset)
    })
    afterAll(async () => {
      await privacy?.close()
      await database?.close()
    })

    it('are masked by member and whole, and what is kept stays as it was', async () => {
      const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
      const before = await database.rows('select concat(doc), concat(whole) from people where id = 2')
      expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
      const [masked, bob, none] = await database.rows('select id, concat(doc), concat(whole) from people order by id')
      const parsed = JSON.parse(String(masked?.[1]))
      expect(Object.keys(parsed).sort()).toEqual(['-1', 'kept', 'nick', 'straße'])
      expect(parsed).toMatchObject({ nick: null, '-1': null, straße: null })
      // of several members of one name, none is left
      expect(masked?.[1]).not.toMatch(/Ren|Ann/)
      expect(masked?.[2]).toBe(masksWhole[kind])
      expect(bob?.slice(1)).toEqual(before[0])
      expect(none).toEqual([3, null, null])
      const of = `json_extract(doc, '$.kept')`
      expect(
        await database.rows(`select concat(${of}), json_type(json_extract(${of}, '$[0]')) from people where id = 1`),
      ).toEqual([kept[kind]])
    })

    it('are a part of the key of rows that have no other one', async () => {
      const erased = await database.rows('select concat(doc), concat(whole) from visits where seen = 1')
      expect(erased).toHaveLength(2)
      for (const [doc, whole] of erased) {
        expect(JSON.parse(String(doc))).toEqual({ nick: null, kept: 'é' })
        expect(whole).toBe(masksWhole[kind])
      }
    })

    it('of which a number that a double would change stays are refused before anything is written', async () => {
      const rows = () =>
        database.rows('select email, concat(doc), concat(whole) from visits where seen > 10 order by seen')
      const before = await rows()
      const identities = [{ email: `other-${ann.email}` }]
      const { id } = await privacy.requests.submit({ policyKey: 'erase', identities })
      const { status, failure } = await privacy.requests.settled(id)
      expect({ status, failure }).toMatchObject({
        status: 'error',
        failure: expect.stringMatching(/nothing was written/),
      })
      expect(await rows()).toEqual(before)
    })
  })

  describe(`fields inside of JSON columns, on ${kind}`, () => {
    let database: TestDatabase
    let privacy: PrivacyService
    beforeAll(async () => {
      database = await openDatabase(kind)
      await database.run(
        'create table people (id int primary key, email varchar(190), doc json, key (email))',
        `insert into people values (1, '${ann.email}', '{"nick": "Annie", "points": 3}'), (2, 'bob@example.com', '{"nick": "Bobby", "points": 4}')`,
        `insert into people values (3, '${ann.email}', '"Annie"'), (4, '${ann.email}', '["Annie", {"nick": "An", "points": 5}]')`,
        'create table leads (id int primary key, doc json)',
        `insert into leads values (1, '{"email": "${ann.email}", "phone": "1"}')`,
        'create table profiles (id int primary key, doc json, bio varchar(80))',
        `insert into profiles values (1, '{"person_id": 1}', 'likes cats')`,
      )
      privacy = await openService(kind, database.url)
      await privacy.connections.attachDataset('shop', dataset)
    })
    afterAll(async () => {
      await privacy?.close()
      await database?.close()
    })
    const ended = async (id: string) => {
      await expect.poll(async () => (await privacy.requests.get(id)).status).toMatch(/^(?:paused|complete|error)$/)
      return privacy.requests.get(id)
    }

    it('are masked where the row is found, and an erasure waits where they would have to be searched', async () => {
      const asked = { policyKey: 'erase', identities: [ann] }
      const { plan } = await privacy.requests.preview(asked)
      expect(plan.unsearched).toEqual([
        { address: 'shop:leads', reason: 'members not searchable', targeted: true, detail: 'doc.email' },
        { address: 'shop:profiles', reason: 'members not searchable', targeted: true, detail: 'doc.person_id' },
      ])
      const { id } = await privacy.requests.submit(asked)
      const waiting = await ended(id)
      expect(waiting.status).toBe('paused')
      expect(waiting.actionRequired?.message).toMatch(/'shop:leads'.*doc\.email.*would not be searched/)
      const people = () =>
        database.rows(
          `select id, json_value(doc, '$.nick'), json_value(doc, '$.points') from people where id < 3 order by id`,
        )
      expect(await people()).toEqual([
        [1, 'Annie', '3'],
        [2, 'Bobby', '4'],
      ])
      await privacy.requests.accept(id, { acceptUnsearched: ['shop:leads', 'shop:profiles'] })
      expect(await ended(id)).toMatchObject({ status: 'complete' })
      expect(await people()).toEqual([
        [1, null, '3'],
        [2, 'Bobby', '4'],
      ])
      // a plain value stands where members are described
      const plain = await database.rows('select cast(doc as char) from people where id > 2 order by id')
      expect(plain.map(([doc]) => doc && JSON.parse(String(doc)))).toEqual([null, [null, { nick: null, points: 5 }]])
      const { collections } = await privacy.requests.receipt(id)
      const outcomes = Object.fromEntries(collections.map(({ collection, outcomes }) => [collection, outcomes]))
      for (const name of ['leads', 'profiles'])
        expect(outcomes[name]).toEqual([expect.objectContaining({ outcome: 'skipped' })])
    })
  })
}
