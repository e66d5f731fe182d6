import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPrivacyService, type DatasetInput, type PrivacyService } from '@habeas/core'
import { type CrmResource, crmConnector } from './crm-connector.js'
import { type CrmRecords, crmService } from './crm-service.js'
import { lakeConnector } from './lake-connector.js'

const apiKey = randomBytes(16).toString('hex')

/** What the service holds. A customer with tickets cannot be deleted. */
const records = (): Record<string, CrmRecords> => ({
  customers: {
    ...{ lookup: 'email', deletes: true, heldBy: { resource: 'tickets', member: 'customer' } },
    records: [
      { id: 1, email: 'ann@example.com', name: 'Ann' },
      { id: 2, email: 'bob@example.com', name: 'Bob' },
    ],
  },
  tickets: {
    ...{ lookup: 'email', deletes: true },
    records: Array.from({ length: 50 }, (_, at) => {
      const [customer, email] = at % 2 === 0 ? [1, 'ann@example.com'] : [2, 'bob@example.com']
      return { id: at + 1, customer, email, text: `Ticket ${at + 1}` }
    }),
  },
})

/** What the connector knows of it. */
const resources: Readonly<Record<string, CrmResource>> = {
  customers: {
    ...{ lookup: 'email', deletes: true },
    columns: [{ name: 'id', kind: 'integer' }, { name: 'email', kind: 'string' }, { name: 'name' }],
  },
  tickets: {
    ...{ lookup: 'email', deletes: true },
    columns: [
      { name: 'id', kind: 'integer' },
      { name: 'customer', kind: 'integer' },
      { name: 'email', kind: 'string' },
      { name: 'text' },
    ],
  },
}

// Rows belong to a customer by the address, since that is how the service looks customers up.
const ofCustomer = { references: [{ dataset: 'crm', field: 'customers.email', direction: 'from' as const }] }

export const crm: DatasetInput = {
  service_key: 'crm',
  collections: [
    {
      name: 'customers',
      service_meta: { erase: 'delete' },
      fields: [
        { name: 'id' },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
        { name: 'name', data_categories: ['user.name'] },
      ],
    },
    {
      name: 'tickets',
      service_meta: { erase: 'delete' },
      fields: [
        { name: 'id' },
        { name: 'customer' },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: ofCustomer },
        { name: 'text', data_categories: ['user'] },
      ],
    },
  ],
}

const lake: DatasetInput = {
  service_key: 'lake',
  collections: [
    {
      name: 'visits',
      fields: [
        { name: 'id' },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: ofCustomer },
        { name: 'ip', data_categories: ['user.device.ip_address'] },
        { name: 'page' },
        { name: 'date' },
      ],
    },
  ],
}

async function makeLake(folder: string): Promise<void> {
  const kinds = { id: 'integer', email: 'string', ip: 'string', page: 'string' }
  const columns = Object.entries(kinds).map(([name, kind]) => ({ name, kind }))
  for (const day of ['2026-01-01', '2026-01-02', '2026-01-03']) {
    const lines = ['ann', 'bob'].map((name, at) => {
      const id = Number(day.slice(-2)) * 10 + at
      return JSON.stringify({ id, email: `${name}@example.com`, ip: `192.0.2.${at}`, page: '/' })
    })
    await mkdir(join(folder, 'visits', `date=${day}`), { recursive: true })
    await writeFile(join(folder, 'visits', `date=${day}`, 'part-0.jsonl'), `${lines.join('\n')}\n`)
  }
  await writeFile(join(folder, 'visits', '_schema.json'), JSON.stringify({ key: ['id'], columns }))
}

export interface Sources {
  readonly privacy: PrivacyService
  /** The records of the service as they are now. */
  readonly records: Readonly<Record<string, CrmRecords>>
  /** The lake. */
  readonly folder: string
  close(): Promise<void>
}

/** Starts the service, makes a lake, and opens a privacy service that is connected to both. */
export async function openSources(): Promise<Sources> {
  const held = records()
  const server = crmService({ apiKey, resources: held }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const folder = await mkdtemp(join(tmpdir(), 'habeas-example-'))
  await makeLake(folder)
  const privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [crmConnector(resources), lakeConnector()],
  })
  const secrets = {
    crm: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, api_key: apiKey },
    json_lake: { folder },
  }
  for (const [key, connectionType, dataset] of [
    ['crm', 'crm', crm],
    ['lake', 'json_lake', lake],
  ] as const) {
    await privacy.connections.put({ key, connectionType, access: 'write' })
    const { failureReason } = await privacy.connections.setSecrets(key, secrets[connectionType])
    if (failureReason !== null) throw new Error(failureReason)
    await privacy.connections.attachDataset(key, dataset)
  }
  return {
    ...{ privacy, folder, records: held },
    async close() {
      await privacy.close()
      server.close()
      server.closeAllConnections()
      await rm(folder, { recursive: true })
    },
  }
}
