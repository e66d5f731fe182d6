import {
  createPrivacyService,
  type Identity,
  memoryBlobs,
  memoryStorage,
  type PrivacyEvent,
  type PrivacyServiceOptions,
  type Value,
} from '@habeas/core'
import type { MemoryConnector } from '@habeas/testkit'
import { expect } from 'vitest'
import { policy as everything } from './described.js'

export interface DescribedShop {
  readonly document: { readonly service_key: string }
  readonly connector: MemoryConnector
}

export interface ServiceOptions extends Partial<PrivacyServiceOptions> {
  readonly policy?: object
  /** Secrets of every connection. */
  readonly connectionSecrets?: object
}

/** A service over these datasets, each behind a connection of its own key. Closed by the caller. */
export async function openService(shops: readonly DescribedShop[], options: ServiceOptions = {}) {
  const { policy = everything, connectionSecrets = {}, ...rest } = options
  const storage = rest.storage ?? memoryStorage()
  const blobs = rest.blobs ?? memoryBlobs()
  // One connector per type is registered; tests of several databases of one type name them apart.
  const connectors = shops.map(({ document, connector }) => ({
    category: connector.category,
    capabilities: connector.capabilities,
    parseSecrets: connector.parseSecrets,
    type: `memory_${document.service_key}`,
    connect: connector.connect,
  }))
  const privacy = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 9).toString('base64'),
    connectors,
    ...rest,
    execution: { retryMinutes: 0, ...rest.execution },
    storage,
    blobs,
  })
  const events: PrivacyEvent[] = []
  privacy.on((event) => events.push(event))
  for (const { document } of shops) {
    const key = document.service_key
    // Another process has described it. Secrets that are set again close the connections of runs.
    if (await storage.table('connection').get(key)) continue
    await privacy.connections.put({ key, connectionType: `memory_${key}` })
    await privacy.connections.setSecrets(key, connectionSecrets as never, { verify: false })
    await privacy.connections.attachDataset(key, document)
  }
  const { service_key: policyKey } = (await privacy.policies.put(policy)) as { service_key: string }

  /** What a complete request hands over. */
  async function read(requestId: string, rule?: string): Promise<Record<string, Value[]>> {
    const parts: Uint8Array[] = []
    for await (const part of privacy.requests.readPackage(requestId, { rule })) parts.push(part)
    return JSON.parse(Buffer.concat(parts).toString())
  }

  /** The request once no run has it: it is complete, in error, or waits for people. */
  async function rested(requestId: string) {
    const status = async () => (await privacy.requests.get(requestId)).status
    await expect.poll(status).toMatch(/^(complete|error|paused)$/)
    return privacy.requests.get(requestId)
  }

  return {
    privacy,
    storage,
    blobs,
    events,
    read,
    rested,
    async submit(...identities: Identity[]): Promise<string> {
      return (await privacy.requests.submit({ policyKey, identities })).id
    },
    /** Submits, waits for the end, and fails unless the request is complete. */
    async access(...identities: Identity[]) {
      const { id } = await privacy.requests.submit({ policyKey, identities })
      const request = await privacy.requests.settled(id)
      if (request.status !== 'complete') throw new Error(`${request.status}: ${request.failure}`)
      return { id, request, rows: await read(id), results: resultsOf(request) }
    },
    preview: (...identities: Identity[]) => privacy.requests.preview({ policyKey, identities }),
  }
}

type Results = Awaited<ReturnType<ReturnType<typeof createPrivacyService>['requests']['get']>>['results']

/** `{ 'shop:orders': 'delivered 2, skipped 1' }`, with what was left and what was near. */
export function resultsOf(request: { readonly results?: NonNullable<Results> }): Record<string, string> {
  return Object.fromEntries(
    (request.results ?? []).map(({ dataset, collection, outcomes, elementsLeft, nearMatches }) => [
      `${dataset}:${collection}`,
      [
        ...outcomes.map(({ outcome, rowCount }) => `${outcome} ${rowCount}`),
        ...(elementsLeft === undefined ? [] : [`left ${elementsLeft}`]),
        ...(nearMatches === undefined ? [] : [`near ${nearMatches}`]),
      ].join(', '),
    ]),
  )
}

/** Opens a service for one test and closes it afterwards. */
export async function accessOf(
  shops: readonly DescribedShop[],
  identities: readonly Identity[],
  options: ServiceOptions = {},
) {
  const service = await openService(shops, options)
  try {
    return {
      ...(await service.access(...identities)),
      plan: (await service.preview(...identities)).plan,
      events: service.events,
    }
  } finally {
    await service.privacy.close()
  }
}
