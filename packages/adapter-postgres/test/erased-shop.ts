import {
  type AcceptanceInput,
  type Connection,
  type Connector,
  createPrivacyService,
  memoryBlobs,
  memoryStorage,
} from '@habeas/core'
import { postgresConnector } from '../src/index.js'
import type { TestDatabase } from './database.js'

type Meta = Readonly<Record<string, unknown>>

/** A field that the policy asks for. */
export const erased = (name: string, meta: Meta = {}) => ({
  ...{ name, data_categories: ['user'], service_meta: meta },
})

/** A field that stays. */
export const plain = (name: string, meta: Meta = {}) => ({ name, service_meta: meta })

export const key = plain('id', { primary_key: true })

/** A field that leads to another: `refer('customer_id', 'customer.id', 'from')`. */
export const refer = (name: string, to: string, direction: 'from' | 'to', meta: Meta = {}) =>
  plain(name, { ...meta, references: [{ dataset: 'shop', field: to, direction }] })

/** One statement of an erasure that takes effect, and the moment around it. */
export interface ErasingMoment {
  readonly collection: string
  readonly when: 'before' | 'after'
}

export interface ErasedShopOptions {
  readonly database: TestDatabase
  readonly collections: readonly object[]
  /** Rows that one statement writes at most. */
  readonly maxErased?: number
  /** Awaited around each statement that writes. */
  readonly meanwhile?: (moment: ErasingMoment) => Promise<void>
  /** Awaited before a table is read. */
  readonly reads?: (collection: string, process: number) => Promise<void>
  /** Processes that share one storage; what each writes to the database bears its name, `habeas 0`. */
  readonly processes?: number
  /** Services keep what a database has described as long as they do by default; otherwise they ask each time. */
  readonly remembersCatalogue?: boolean
}

/** Services on one storage that erase what is under `user` in a schema of a PostgreSQL. */
export async function erasedShop(options: ErasedShopOptions) {
  const { database, collections, processes = 1, remembersCatalogue = false } = options
  const shared = {
    ...{ encryptionKey: Buffer.alloc(32, 7).toString('base64'), storage: memoryStorage(), blobs: memoryBlobs() },
    execution: { immediate: false, retryMinutes: 0 },
    ...(!remembersCatalogue && { catalogueSeconds: 0 }),
  }
  const services = Array.from({ length: processes }, (_, process) =>
    createPrivacyService({ ...shared, connectors: [watched(options, process)] }),
  )
  const [privacy] = services as [(typeof services)[number]]
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'write' })
  await privacy.connections.setSecrets('shop', { url: database.url, db_schema: database.schema })
  await privacy.connections.attachDataset('shop', { service_key: 'shop', collections: collections as never })
  const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
  await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
  await privacy.policies.put({ service_key: 'access', rules: [{ ...all, action_type: 'access' }] })
  const submitting =
    (policyKey: string) =>
    async (identity: Readonly<Record<string, string>>, accepted: AcceptanceInput = {}) =>
      (await privacy.requests.submit({ policyKey, identities: [identity], ...accepted })).id
  const submit = submitting('erase')
  /** Runs a request, once more where it ended in `error`. */
  const run = async (id: string, process = 0) => {
    const service = services[process] as typeof privacy
    if ((await service.requests.get(id)).status === 'error') await service.requests.retry(id)
    await service.requests.run(id)
    return service.requests.get(id)
  }
  return {
    privacy,
    storage: shared.storage,
    submit,
    run,
    async erase(identity: Readonly<Record<string, string>>, accepted: AcceptanceInput = {}) {
      return run(await submit(identity, accepted))
    },
    async access(identity: Readonly<Record<string, string>>) {
      return run(await submitting('access')(identity))
    },
    /** What an access hands over. */
    async delivered(id: string): Promise<Readonly<Record<string, unknown>>> {
      let text = ''
      for await (const part of privacy.requests.readPackage(id)) text += Buffer.from(part).toString()
      return JSON.parse(text)
    },
    async [Symbol.asyncDispose]() {
      for (const service of services) await service.close()
    },
  }
}

/** The connector, with somebody who acts around what it writes. */
function watched({ maxErased = 10_000, meanwhile, reads }: ErasedShopOptions, process: number): Connector {
  const connector = postgresConnector({ applicationName: `habeas ${process}` })
  return {
    ...connector,
    capabilities: { ...connector.capabilities, maxErased },
    async connect(secrets) {
      const connection = await connector.connect(secrets)
      const erase: Connection['erase'] = async (given, how = {}) => {
        const { collection } = given
        if (!how.rollBack) await meanwhile?.({ collection, when: 'before' })
        await connection.erase?.(given, how)
        if (!how.rollBack) await meanwhile?.({ collection, when: 'after' })
      }
      return {
        ...connection,
        erase,
        async *read(given, how) {
          await reads?.(given.collection, process)
          yield* connection.read(given, how)
        },
      }
    },
  }
}

type Request = Awaited<ReturnType<Awaited<ReturnType<typeof erasedShop>>['erase']>>

/** `{ orders: { masked: 2, gone: 1 } }`: how many rows ended how. */
export function countsOf({ results = [] }: Request): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {}
  for (const { collection, actionType, outcomes } of results) {
    if (actionType !== 'erasure') continue
    const of: Record<string, number> = {}
    for (const { outcome, rowCount } of outcomes) of[outcome] = (of[outcome] ?? 0) + rowCount
    counts[collection] = of
  }
  return counts
}
