import {
  aesSecrets,
  type Connector,
  type Identity,
  memoryBlobs,
  memoryQueue,
  memoryStorage,
  systemRuntime,
  type Value,
} from '@habeas/core'
import { serviceKeys } from '../../src/actions/service-keys.js'
import { httpWebhooks } from '../../src/builtin/http-webhooks.js'
import { openConnections } from '../../src/execution/connect/open-connections.js'
import { requestEngine } from '../../src/execution/request-engine.js'
import type { AcceptanceInput } from '../../src/model/acceptance.js'
import { parseDataset } from '../../src/model/dataset.js'
import { parsePolicy } from '../../src/model/policy.js'

/** What is said with the request is accepted from the start. */
export interface EngineWorld extends AcceptanceInput {
  /** Each dataset as a document, with the connector behind it. */
  readonly datasets: readonly {
    readonly document: { readonly service_key: string }
    readonly connector: Connector
    readonly access?: 'read' | 'write'
  }[]
  readonly policy: { readonly service_key: string }
  readonly inferIdentities?: boolean
  readonly maxRounds?: number
  /** Of connections that name none themselves. Default: `read`. */
  readonly access?: 'read' | 'write'
}

const secrets = aesSecrets({ keys: Buffer.alloc(32, 7).toString('base64') })

/** Runs one request straight on the engine, without the actions around it: for properties, which do so thousands of times. */
export async function accessOnce(world: EngineWorld, identities: readonly Identity[]) {
  const storage = memoryStorage()
  const times = { searchText: '', createdAt: '', updatedAt: '' }
  const connectors = new Map<string, Connector>()
  for (const { document, connector, access } of world.datasets) {
    const { value } = parseDataset(document)
    const key = value.service_key
    connectors.set(key, connector)
    await storage.table('dataset').insert({ id: key, version: 1, document: value, connectionKey: key, ...times })
    await storage.table('connection').insert({
      id: key,
      version: 1,
      key,
      name: key,
      connectionType: 'postgres',
      access: access ?? world.access ?? 'read',
      disabled: false,
      searchText: '',
    } as never)
  }
  const { value: policy } = parsePolicy(world.policy)
  const connections = openConnections({
    catalogueSeconds: 300,
    answerMinutes: 60,
    now: () => new Date(),
    source: async (key) => ({ revision: '1', connector: connectors.get(key) as Connector, secrets: async () => ({}) }),
  })
  const engine = requestEngine({
    context: {
      storage,
      secrets,
      runtime: systemRuntime,
      connectors: new Map(),
      options: { taxonomy: 'open', connectionTestSeconds: 1 },
      connectionChanged: () => {},
    },
    blobs: memoryBlobs(),
    queue: memoryQueue(),
    connections,
    policy: async () => policy,
    serviceKeys: serviceKeys({ storage, secrets, runtime: systemRuntime }),
    inferIdentities: world.inferIdentities ?? false,
    concurrency: 1,
    maxRounds: world.maxRounds ?? 100,
    sweepSeconds: 10,
    immediate: false,
    webhooks: { sender: httpWebhooks(), retries: 0, retryDelaySeconds: 0, resumeMinutes: 1 },
    requireManualRequestApproval: false,
  })
  try {
    const { acceptUnsearched = false, acceptUndecided = false, acceptUnconfirmed = false } = world
    const { id } = await engine.submit({
      policyKey: policy.service_key,
      identities,
      acceptUnsearched,
      acceptUndecided,
      acceptUnconfirmed,
    })
    await engine.run(id)
    const request = await engine.get(id)
    const plan = await engine.plan(id)
    if (request.status !== 'complete') return { request, plan, rows: {} }
    if ((await engine.packages(id)).length === 0) return { request, plan, rows: {} }
    const parts: Uint8Array[] = []
    for await (const part of engine.readPackage(id)) parts.push(part)
    return { request, plan, rows: JSON.parse(Buffer.concat(parts).toString()) as Record<string, Value[]> }
  } finally {
    await engine.close()
    await connections.close()
  }
}
