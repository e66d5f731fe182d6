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

export function jsonSuite(kind: Kind): void {
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
