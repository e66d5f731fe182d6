import type { Dataset } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openService } from './open-service.js'
import { type OwnServer, startServer } from './own-server.js'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

const key = (name: string) => ({ name, service_meta: { primary_key: true } })
const email = { name: 'email', service_meta: { identity: 'email' } }
const note = { name: 'note', data_categories: ['user'] }

/** A server that takes statements of 16 KiB. */
export function smallPacketSuite(kind: Kind): void {
  describe(`max_allowed_packet = 16K, on ${kind}`, () => {
    let server: OwnServer
    let database: TestDatabase
    beforeAll(async () => {
      server = await startServer(kind, '--max-allowed-packet=16384')
      database = await openDatabase(kind, server.url)
    })
    afterAll(async () => {
      await database?.close()
      await server?.stop()
    })

    async function erased(length: number, columns: string, fields: readonly object[]) {
      await database.run(
        'drop table if exists visit',
        `create table visit (id int, email varchar(99), note longtext${columns})`,
        `insert into visit with recursive n (i) as (select 1 union all select i + 1 from n where i < 40)
          select i, if(i = 40, 'bob@x.com', 'ann@x.com'), repeat(char(64 + i % 26), ${length}) from n`,
      )
      const privacy = await openService(kind, database.url)
      try {
        const collections = [{ name: 'visit', fields }]
        await privacy.connections.attachDataset('shop', { service_key: 'shop', collections } as unknown as Dataset)
        const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@x.com' }] })
        const { status, failure } = await privacy.requests.settled(id)
        const [[left]] = (await database.rows('select count(*) from visit where length(note) > 100')) as [[number]]
        return { status, failure, left }
      } finally {
        await privacy.close()
      }
    }

    it.each([
      ['with a key', 3_000, ', primary key (id)', [key('id'), email, note]],
      ['without a key', 3_000, '', [{ name: 'id' }, email, note]],
      ['with a key, long', 14_000, ', primary key (id)', [key('id'), email, note]],
      ['without a key, long', 14_000, '', [{ name: 'id' }, email, note]],
      ['without a key, longer', 8_000, '', [{ name: 'id' }, email, note]],
    ])('long texts of a table %s', async (_, length, columns, fields) => {
      expect(await erased(length, columns, fields)).toEqual({ status: 'complete', left: 1 })
    })
  })
}
