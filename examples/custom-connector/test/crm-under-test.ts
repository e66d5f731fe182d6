import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Connector } from '@habeas/core'
import type { Fixture } from '@habeas/testkit'
import { type CrmResource, crmConnector } from '../crm-connector.js'
import { type CrmOptions, type CrmRecords, crmService } from '../crm-service.js'

type Limits = Pick<CrmRecords, 'lookup' | 'deletes' | 'heldBy'>

/** The tables of the fixtures that the service has. */
const tables: Readonly<Record<string, readonly Limits[]>> = {
  customers: [{ lookup: 'email' }],
  attachments: [{ lookup: 'customer_id' }],
  people: [{ lookup: 'email', deletes: true, heldBy: { resource: 'orders', member: 'person_id' } }],
  orders: [{ lookup: 'customer_id' }, { lookup: 'person_id' }],
}

export const only = Object.fromEntries(
  Object.entries(tables).map(([name, limits]) => {
    const deletes = limits.some((each) => each.deletes)
    return [name, { lookups: limits.map(({ lookup }) => lookup), deletes }]
  }),
)

export const apiKey = 'key-of-the-contract'

const running = new Set<Server>()

/** Call it when the tests of a file have ended. */
export function stopServices(): void {
  for (const server of running) {
    server.close()
    server.closeAllConnections()
  }
  running.clear()
}

/** Starts the service. `url` is where it listens. */
export async function startService(options: CrmOptions): Promise<{ readonly server: Server; readonly url: string }> {
  const server = crmService(options).listen(0, '127.0.0.1')
  running.add(server)
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** The service and its connector over the tables of a fixture that it has. */
export async function serviceOf(fixture: Fixture): Promise<{ readonly connector: Connector; readonly url: string }> {
  const resources: Record<string, CrmRecords> = {}
  const described: Record<string, CrmResource> = {}
  for (const { name, columns, rows } of fixture) {
    const limits = tables[name]?.find(({ lookup }) => columns.some((column) => column.name === lookup))
    if (!limits) continue
    resources[name] = { ...limits, records: [...rows] }
    const { lookup, deletes = false } = limits
    described[name] = {
      ...{ lookup, deletes },
      columns: columns.map(({ name, kind, nullable = false }) => ({
        ...{ name, nullable },
        ...(kind === 'integer' && { kind }),
        ...(kind === 'string' && name === lookup && { kind }),
      })),
    }
  }
  const { url } = await startService({ apiKey, resources, requestsPerSecond: 1_000 })
  return { connector: crmConnector(described), url }
}
