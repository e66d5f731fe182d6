import { randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:net'
import { type Connector, createPrivacyService, type PrivacyService } from '@habeas/core'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PostgresConnectorOptions } from '../src/index.js'
import { quoted } from './database.js'

/** What differs from server to server. */
export interface TestedServer {
  /** As failures call it. */
  readonly name: string
  connectorOf(options?: PostgresConnectorOptions): Connector
  /** Where a superuser may prepare things. */
  url(): string
  /** Where connections under test go. The server offers no encryption there. */
  through(): string
  /** True where the server asks for passwords. */
  readonly asksForPasswords: boolean
  /** What it says when it takes no more connections. */
  readonly full: RegExp
}

const password = 'a-planted-password'

/** What the test of a connection says, each time with what to correct and with no secret. */
export function connectionTestSuite(kind: string, server: TestedServer): void {
  describe(`the test of a connection to ${kind}`, () => {
    const [user, schema] = [1, 2].map(() => `habeas_${randomBytes(4).toString('hex')}`) as [string, string]
    let privacy: PrivacyService
    let client: pg.Client
    const fakes: Server[] = []
    beforeAll(async () => {
      const connector = server.connectorOf({ connectTimeoutSeconds: 1 })
      client = new pg.Client(server.url())
      await client.connect()
      await client.query(`create role ${user} login password '${password}' connection limit 2; create schema ${schema}`)
      privacy = createPrivacyService({
        encryptionKey: randomBytes(32).toString('base64'),
        connectors: [connector],
      })
      await privacy.connections.put({ key: 'shop', connectionType: connector.type, access: 'read' } as never)
    })
    afterAll(async () => {
      await privacy?.close()
      for (const fake of fakes) fake.close()
      await client.query(`drop schema ${schema}; drop owned by ${user}; drop role ${user}`)
      await client.end()
    })

    const right = () => {
      const { hostname, port, pathname } = new URL(server.through())
      return { host: hostname, port, user, password, database: pathname.slice(1), db_schema: 'public' }
    }
    /** A server of one answer, or of none. */
    const fake = async (answer?: Buffer) => {
      const listening = createServer((socket) => {
        socket.on('error', () => {})
        if (answer) socket.once('data', () => socket.end(answer))
      })
      fakes.push(listening)
      await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
      return { host: '127.0.0.1', port: (listening.address() as { port: number }).port }
    }
    const tested = async (secrets: object) => {
      const result = await privacy.connections.setSecrets('shop', { ...right(), ...secrets } as never)
      expect(JSON.stringify(result)).not.toMatch(new RegExp(`${password}|another-password`))
      return [result.testStatus, result.failureReason] as const
    }

    it('succeeds, and says which schema the user may not use or is not there', async () => {
      expect(await tested({})).toEqual(['succeeded', null])
      expect(await tested({ db_schema: schema })).toEqual(['failed', expect.stringMatching(/schema .*grant USAGE/)])
      await client.query(`grant usage on schema ${quoted(schema)} to ${user}`)
      expect(await tested({ db_schema: schema })).toEqual(['succeeded', null])
      expect(await tested({ db_schema: 'nowhere' })).toEqual(['failed', expect.stringMatching(/correct db_schema/)])
    })

    it.each<[string, object, RegExp]>([
      ['a host that nobody knows', { host: 'no-such-host.invalid' }, /host name .*check host/],
      ['a port at which nothing listens', { port: 1 }, /Nothing listens.*check port/],
      ['a database that is not there', { database: 'none' }, /no such database: check database/],
      ['encryption that the server does not offer', { ssl: true }, /does not offer encryption/],
      ['a user that nobody knows', { user: 'nobody_at_all', password: 'another-password' }, /check (?:both|user)/],
    ])('names %s', async (_, secrets, words) => {
      expect(await tested(secrets)).toEqual(['failed', expect.stringMatching(words)])
    })

    if (server.asksForPasswords)
      it('names a wrong password', async () => {
        const reason = expect.stringMatching(/did not accept the user and password: check both/)
        expect(await tested({ password: 'another-password' })).toEqual(['failed', reason])
      })

    it('names a server that takes no more connections', async () => {
      await expect.poll(() => sessions(client, user)).toBe(0)
      const { db_schema, ...login } = right()
      const others = [1, 2].map(() => new pg.Client({ ...login, port: Number(login.port) }))
      for (const other of others) await other.connect()
      expect(await tested({})).toEqual(['failed', expect.stringMatching(server.full)])
      for (const other of others) await other.end()
    })

    it('names a server that says nothing, or something else', async () => {
      const another = ` check that what listens at host and port is ${server.name}.`
      expect(await tested(await fake())).toEqual([
        'failed',
        expect.stringMatching(`did not answer in time.*${another}`),
      ])
      for (const answer of ['HTTP/1.1 400 Bad Request\r\n\r\n', 'd\0\0\0\n5.5.5-10.11.18-MariaDB'])
        expect(await tested(await fake(Buffer.from(answer)))).toEqual(['failed', expect.stringMatching(another)])
    })

    it('names a login that the driver does not know, and goes on', async () => {
      const digest = Buffer.from([82, 0, 0, 0, 12, 0, 0, 0, 13, 0, 0, 0, 1])
      expect(await tested(await fake(digest))).toEqual(['failed', expect.stringMatching(/password/)])
    })
  })
}

async function sessions(client: pg.Client, user: string): Promise<number> {
  const { rows } = await client.query('select pid from pg_stat_activity where usename = $1', [user])
  return rows.length
}
