import type { TLSSocket } from 'node:tls'
import { selfSignedCertificate } from '@habeas/testkit'
import mysql from 'mysql2'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openDatabase, serverUrl, type TestDatabase } from './servers.js'

let database: TestDatabase
beforeAll(async () => {
  database = await openDatabase('mysql')
})
afterAll(() => database?.close())

/** The authority of the server and the name in its certificate, as it shows them to everyone. */
async function shown(): Promise<{ readonly ca: string; readonly name: string }> {
  const line = mysql.createConnection({ uri: serverUrl('mysql'), ssl: { rejectUnauthorized: false } })
  await line.promise().query('select 1')
  const socket = (line as unknown as { readonly stream: TLSSocket }).stream
  const { subject, issuerCertificate } = socket.getPeerCertificate(true)
  line.destroy()
  const lines = issuerCertificate.raw.toString('base64').replace(/(.{64})/g, '$1\n')
  return { ca: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, name: String(subject.CN) }
}

it('a certificate has to be of the authority and made out to the name that the secrets say', async () => {
  const { ca, name } = await shown()
  const ping = async (ssl: object) => (await database.connect({}, { ssl })).ping()
  await ping({ ca, server_name: name })
  const tls = { details: { reason: 'tls' }, message: expect.stringContaining('give the certificate of its authority') }
  await expect(ping({ server_name: name })).rejects.toMatchObject(tls)
  await expect(ping({ ca })).rejects.toMatchObject(tls)
  await expect(ping({ ca, server_name: `other.${name}` })).rejects.toMatchObject(tls)
  await expect(ping({ ca: selfSignedCertificate(name).certificate, server_name: name })).rejects.toMatchObject(tls)
})
