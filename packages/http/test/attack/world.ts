import {
  aesSecrets,
  createPrivacyService,
  memoryBlobs,
  memoryQueue,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type RowKind,
  type Storage,
  searchable,
} from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { type FakeRuntime, fakeRuntime, memoryConnector } from '@habeas/testkit'
import { strictStorage } from './strict-storage.js'

export const origin = 'https://privacy.example'
export const root = { id: 'root', secret: 'the-root-secret-of-these-tests-0123456789' }

/** Values that no answer may ever hold, whatever is asked. */
export const planted = {
  password: 'planted-password-c41d',
  keyfile: 'planted-private-key-77aa',
  identity: 'planted.person@mail.example',
  phone: '+4915500999777',
} as const

/** What the service holds before anybody attacks it; keys by which samples name it. */
export interface AttackedWorld {
  readonly privacy: PrivacyService
  readonly storage: Storage
  readonly runtime: FakeRuntime
  /** Of the root client: every scope. */
  readonly token: string
  /** Every secret of a client that was made here. */
  readonly clientSecrets: readonly string[]
  readonly client: { readonly id: string; readonly secret: string; readonly token: string }
  readonly requests: Readonly<Record<'complete' | 'failed' | 'pending', string>>
  /** What nobody foresaw and no answer told. */
  readonly unforeseen: unknown[]
  /** Answers a request; `path` is put behind the origin as it is. */
  readonly call: (path: string, init?: RequestInit & { readonly address?: string }) => Promise<Response>
  /** Everything that is stored. */
  readonly rows: () => Promise<StoredRows>
  /** Kinds of rows of which others are stored than at first. */
  readonly changed: () => Promise<RowKind[]>
  /** Stores again what was stored at first, and nothing else. */
  readonly restore: () => Promise<void>
  readonly close: () => Promise<void>
}

export type StoredRows = ReadonlyMap<RowKind, readonly object[]>

const kinds = Object.keys(searchable) as RowKind[]

/** Kinds of which not the same rows are stored. Rows are frozen: one that is the same object is the same. */
export function changedKinds(before: StoredRows, after: StoredRows): RowKind[] {
  return kinds.filter((kind) => {
    const [one = [], other = []] = [before.get(kind), after.get(kind)]
    return one.length !== other.length || one.some((row, index) => row !== other[index])
  })
}

const dataset = {
  service_key: 'shop',
  collections: [
    {
      name: 'customers',
      fields: [
        { name: 'id', service_meta: { primary_key: true } },
        { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
      ],
    },
  ],
}

const shop = { customers: { rows: [{ id: 1, email: planted.identity }], primaryKey: ['id'] } }

/** A service with one of everything. */
export async function attackedWorld(options: Partial<PrivacyServiceOptions> = {}): Promise<AttackedWorld> {
  const storage = options.storage ?? strictStorage(memoryStorage())
  const runtime = fakeRuntime()
  const privacy = createPrivacyService({
    storage,
    runtime,
    secrets: aesSecrets({ keys: Buffer.alloc(32, 5).toString('base64') }),
    blobs: memoryBlobs(),
    queue: memoryQueue(),
    connectors: [memoryConnector({ database: shop })],
    connectionTestSeconds: 1,
    execution: { immediate: false },
    ...options,
    security: { oauthRootClientId: root.id, oauthRootClientSecret: root.secret, ...options.security },
  })
  const unforeseen: unknown[] = []
  const handler = createHttpHandler(privacy, { onError: (error) => void unforeseen.push(error) })
  const call: AttackedWorld['call'] = (path, { address, ...init } = {}) =>
    handler(new Request(`${origin}${path}`, { ...(init.body != null && { duplex: 'half' }), ...init } as RequestInit), {
      ...(address !== undefined && { address }),
    })

  const requests = await holdings(privacy)
  const { clientId, clientSecret } = await privacy.clients.create({ name: 'Reader', scopes: ['policy:read'] })
  const issued = await privacy.tokens.issue({ clientId, clientSecret })
  const { accessToken: token } = await privacy.tokens.issue({ clientId: root.id, clientSecret: root.secret })
  const rowsOf = (kind: RowKind) => storage.table(kind).find()
  const rows = async () => new Map(await Promise.all(kinds.map(async (kind) => [kind, await rowsOf(kind)] as const)))
  const first: Map<RowKind, readonly object[]> = await rows()
  const changed = async () => changedKinds(first, await rows())
  return {
    ...{ privacy, storage, runtime, token, requests, unforeseen, call, rows, changed },
    clientSecrets: [clientSecret, root.secret],
    client: { id: clientId, secret: clientSecret, token: issued.accessToken },
    async restore() {
      for (const kind of await changed()) {
        for (const { id } of await rowsOf(kind)) await storage.table(kind).take(id)
        await storage.table(kind).insertMany(first.get(kind) as never)
        first.set(kind, await rowsOf(kind))
      }
    },
    close: () => privacy.close(),
  }
}

/** One of everything: `spare` ones may be deleted, as nothing refers to them. */
async function holdings(privacy: PrivacyService): Promise<AttackedWorld['requests']> {
  const submit = async (identity: Record<string, string>) =>
    (await privacy.requests.submit({ policyKey: 'default_access_policy', identities: [identity] })).id
  const identity = { email: planted.identity, phone_number: planted.phone }
  // With no dataset yet, there is nothing to look in.
  const complete = await submit(identity)
  await privacy.requests.run(complete)

  const secrets = { host: 'db.example', user: 'reader', password: planted.password }
  for (const key of ['warehouse', 'spare']) {
    await privacy.connections.create({ key, name: `The ${key}`, connectionType: 'postgres' })
    await privacy.connections.setSecrets(key, secrets, { verify: false })
  }
  await privacy.connections.create({ key: 'lake', connectionType: 'bigquery' })
  const keyfile = { dataset: 'd', keyfile_creds: { private_key: planted.keyfile } }
  await privacy.connections.setSecrets('lake', keyfile, { verify: false })
  await privacy.connections.attachDataset('warehouse', dataset)
  const spare = { service_key: 'spare' }
  await privacy.datasets.create(spare)
  await privacy.systems.create({ ...spare, system_type: 'Service' })
  await privacy.policies.create(spare)
  for (const each of [privacy.organizations, privacy.registries]) await each.create(spare)
  const { dataCategories, dataUses, dataSubjects, dataQualifiers } = privacy
  for (const each of [dataCategories, dataUses, dataSubjects, dataQualifiers]) await each.create(spare)

  const failed = await submit({ passport: planted.identity })
  await privacy.requests.run(failed)
  return { complete, failed, pending: await submit(identity) }
}
