import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSignedCertificate } from '@habeas/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OwnServer, startServer } from './own-server.js'
import { openDatabase, type TestDatabase } from './servers.js'

const name = 'db.example.com'
const { key, certificate: ca } = selfSignedCertificate(name)
const tls = { details: { reason: 'tls' }, message: expect.stringContaining('give the certificate of its authority') }

let folder: string
let server: OwnServer
let database: TestDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'habeas-certificate-'))
  const [certificatePath, keyPath] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
  await writeFile(certificatePath, ca)
  await writeFile(keyPath, key, { mode: 0o600 })
  server = await startServer('mariadb', `--ssl-cert=${certificatePath}`, `--ssl-key=${keyPath}`)
  database = await openDatabase('mariadb', server.url)
  await database.run('create table shop (id int primary key)', 'insert into shop values (1)')
})
afterAll(async () => {
  await database?.close()
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const ping = async (ssl?: object | boolean, secrets: Record<string, unknown> = {}) =>
  (await database.connect({}, { ...secrets, ...(ssl !== undefined && { ssl }) })).ping()

it('a certificate has to be of the authority and made out to the name that the secrets say', async () => {
  await ping({ ca, server_name: name })
  // the host is an address, whose name nobody has said
  await expect(ping({ ca })).rejects.toMatchObject(tls)
  await expect(ping(true)).rejects.toMatchObject(tls)
  await expect(ping({ server_name: name })).rejects.toMatchObject(tls)
  await expect(ping({ ca, server_name: `other.${name}` })).rejects.toMatchObject(tls)
  await expect(ping({ ca: selfSignedCertificate(name).certificate, server_name: name })).rejects.toMatchObject(tls)
})

it('a server that takes encrypted connections alone is read and killed over one, and says so to others', async () => {
  await database.run('set global require_secure_transport = on')
  const denied = { details: { reason: 'authentication' }, message: expect.stringContaining('set ssl') }
  await expect(ping()).rejects.toMatchObject(denied)
  await ping(undefined, { url: `${database.url}?ssl-mode=REQUIRED` })
  await expect(ping(undefined, { url: `${database.url}?ssl-mode=VERIFY_IDENTITY` })).rejects.toMatchObject(tls)
  const connection = await database.connect({ statementTimeoutSeconds: 1 }, { ssl: { ca, server_name: name } })
  const anyOf = [{ fields: [{ path: ['id'] }], values: [[1]] }]
  expect(await connection.count([{ collection: 'shop', anyOf }])).toEqual([1])
  await database.run('create view slow as select id, sleep(3600) as late from shop')
  const late = async () => {
    for await (const _ of connection.read({ collection: 'slow', columns: ['late'], anyOf }));
  }
  await expect(late()).rejects.toMatchObject({ details: { reason: 'statement_timeout' } })
  const running = () =>
    database.rows(
      `select id from information_schema.processlist where info like '%\`slow\`%' and info not like '%processlist%'`,
    )
  await expect.poll(running).toEqual([])
})
