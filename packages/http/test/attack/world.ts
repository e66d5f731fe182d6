import {
  aesSecrets,
  createPrivacyService,
  memoryBlobs,
  memoryMailer,
  memoryQueue,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type RowKind,
  type Secrets,
  type Storage,
  searchable,
  type WebhookSender,
} from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { type FakeRuntime, fakeRuntime, memoryConnector } from '@habeas/testkit'
import { receiptOf } from '../erasure-receipt.js'
import { strictStorage } from './strict-storage.js'
import { withWrittenKinds } from './written-kinds.js'

export const origin = 'https://privacy.example'
export const root = { id: 'root', secret: 'the-root-secret-of-these-tests-0123456789' }

/** Values that no answer may ever hold, whatever is asked. */
export const planted = {
  password: 'planted-password-c41d',
  keyfile: 'planted-private-key-77aa',
  identity: 'planted.person@mail.example',
  phone: '+4915500999777',
} as const

/** For an upload, a reply token, or the rows of a manual collection. */
type Waiting = 'waiting' | 'paused' | 'asked'

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
  /** Id of a legal hold. */
  readonly hold: string
  /** Id of an evaluation of the policy `spare`. */
  readonly evaluation: string
  readonly requests: Readonly<Record<'complete' | 'failed' | 'pending' | 'unverified' | 'timed' | Waiting, string>>
  /** With which the request `paused` goes on. */
  readonly replyToken: string
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

/** What the mail to the person of the request `unverified` says. */
export const mailedCode = '004711'

export type StoredRows = ReadonlyMap<RowKind, readonly object[]>

const kinds = Object.keys(searchable) as RowKind[]

/** Whether not the same rows are stored. Rows are frozen: one that is the same object is the same. */
function isChanged(before: readonly object[] = [], after: readonly object[] = []): boolean {
  return before.length !== after.length || before.some((row, index) => row !== after[index])
}

/** Kinds of which not the same rows are stored. */
export function changedKinds(before: StoredRows, after: StoredRows): RowKind[] {
  return kinds.filter((kind) => isChanged(before.get(kind), after.get(kind)))
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

/** In a cabinet: a person looks them up. */
const letters = {
  service_key: 'cabinet',
  collections: [
    {
      name: 'letters',
      fields: [
        { name: 'email', data_categories: ['user'], service_meta: { identity: 'email' } },
        { name: 'subject', data_categories: ['user'] },
      ],
    },
  ],
}

const shop = { customers: { rows: [{ id: 1, email: planted.identity }], primaryKey: ['id'] } }

/** A service with one of everything. */
export async function attackedWorld(options: Partial<PrivacyServiceOptions> = {}): Promise<AttackedWorld> {
  const written = new Set<RowKind>()
  const storage = withWrittenKinds(options.storage ?? strictStorage(memoryStorage()), written)
  const runtime = fakeRuntime()
  const secrets = aesSecrets({ keys: Buffer.alloc(32, 5).toString('base64') })
  const { webhookSender, replyTokens } = haltingWebhooks()
  const privacy = createPrivacyService({
    runtime,
    secrets,
    webhookSender,
    blobs: memoryBlobs(),
    queue: memoryQueue(),
    connectors: [memoryConnector({ database: shop })],
    connectionTestSeconds: 1,
    execution: { immediate: false },
    ...options,
    storage,
    security: { oauthRootClientId: root.id, oauthRootClientSecret: root.secret, ...options.security },
  })
  const held = { reason: 'A case', identities: [{ passport: planted.identity }] }
  const { id: hold } = await privacy.holds.create(held)
  const unforeseen: unknown[] = []
  const handler = createHttpHandler(privacy, { onError: (error) => void unforeseen.push(error) })
  const call: AttackedWorld['call'] = (path, { address, ...init } = {}) =>
    handler(new Request(`${origin}${path}`, { ...(init.body != null && { duplex: 'half' }), ...init } as RequestInit), {
      ...(address !== undefined && { address }),
    })

  const requests = {
    unverified: await unverifiedRequest({ storage, runtime, secrets }),
    ...(await holdings(privacy)),
  }
  const { id: evaluation } = await privacy.policies.evaluate('spare')
  const receipt = receiptOf(requests.complete)
  await storage.table('erasureReceipt').insert({ id: requests.complete, version: 1, receipt })
  const { clientId, clientSecret } = await privacy.clients.create({ name: 'Reader', scopes: ['policy:read'] })
  const issued = await privacy.tokens.issue({ clientId, clientSecret })
  const { accessToken: token } = await privacy.tokens.issue({ clientId: root.id, clientSecret: root.secret })
  const rowsOf = (kind: RowKind) => storage.table(kind).find()
  const rows = async () => new Map(await Promise.all(kinds.map(async (kind) => [kind, await rowsOf(kind)] as const)))
  const first: Map<RowKind, readonly object[]> = await rows()
  written.clear()
  /** Only kinds that were written can have changed. */
  const changed = async () => {
    for (const kind of [...written]) if (!isChanged(first.get(kind), await rowsOf(kind))) written.delete(kind)
    return kinds.filter((kind) => written.has(kind))
  }
  return {
    privacy,
    storage,
    runtime,
    token,
    hold,
    evaluation,
    requests,
    unforeseen,
    call,
    rows,
    changed,
    replyToken: replyTokens.at(-1) as string,
    clientSecrets: [clientSecret, root.secret],
    client: { id: clientId, secret: clientSecret, token: issued.accessToken },
    async restore() {
      for (const kind of await changed()) {
        for (const { id } of await rowsOf(kind)) await storage.table(kind).take(id)
        await storage.table(kind).insertMany(first.get(kind) as never)
        first.set(kind, await rowsOf(kind))
      }
      written.clear()
    },
    close: () => privacy.close(),
  }
}

/** One of everything: `spare` ones may be deleted, as nothing refers to them. */
async function holdings(privacy: PrivacyService): Promise<Omit<AttackedWorld['requests'], 'unverified'>> {
  const submit = async (identity: Record<string, string>, policyKey = 'default_access_policy') =>
    (await privacy.requests.submit({ policyKey, identities: [identity] })).id
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
  return { complete, failed, pending: await submit(identity), ...(await waitingForPeople(privacy, submit)) }
}

/** Requests that somebody has to add something to, and what asks for it. */
async function waitingForPeople(
  privacy: PrivacyService,
  submit: (identity: Record<string, string>, policyKey?: string) => Promise<string>,
): Promise<Pick<AttackedWorld['requests'], Waiting | 'timed'>> {
  const identity = { email: planted.identity }
  const data_categories = { matches: 'ANY', values: ['user'] }
  const rules = [{ service_key: 'all', action_type: 'access', data_categories }]
  await privacy.policies.create({ service_key: 'hooked', rules: rules as never })
  await privacy.policies.create({ service_key: 'timed', execution_timeframe: 'gdpr', rules: [] })
  const timed = await submit(identity, 'timed')
  for (const phase of ['pre_execution', 'post_execution'] as const) {
    const gate = { key: 'gate', direction: 'two_way', url: 'https://hooks.example.com/gate', secret: planted.password }
    await privacy.policyWebhooks.put('hooked', phase, [gate as never])
  }
  const paused = await submit(identity, 'hooked')
  await privacy.requests.run(paused)

  await privacy.connections.create({ key: 'archive', connectionType: 'manual' })
  await privacy.connections.attachDataset('archive', letters)
  const asked = await submit(identity)
  await privacy.requests.run(asked)

  for (const key of ['paper', 'drawer']) await privacy.connections.create({ key, connectionType: 'manual_webhook' })
  const fields = [{ piiField: 'Full name' }, { piiField: 'Phone numbers' }]
  await privacy.manualWebhooks.create('paper', { fields })
  const waiting = await submit(identity)
  await privacy.requests.uploadManualData(waiting, 'paper', { full_name: 'Ada' })
  return { waiting, paused, asked, timed }
}

/** What calls webhooks, as if each of them halted its request. */
function haltingWebhooks() {
  const replyTokens: string[] = []
  const webhookSender: WebhookSender = {
    refusal: (url) => (/^https:\/\/[a-z]/.test(url) ? undefined : 'must begin with https://'),
    async send({ headers }) {
      const [, token] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'reply-to-token') ?? []
      if (token !== undefined) replyTokens.push(token)
      return { status: 200, body: JSON.stringify({ halt: true }) }
    },
  }
  return { webhookSender, replyTokens }
}

/** A request that another service took, which verifies addresses and sends mails. */
async function unverifiedRequest(shared: { storage: Storage; runtime: FakeRuntime; secrets: Secrets }) {
  const drawn = Buffer.alloc(4)
  drawn.writeUInt32BE(Number(mailedCode))
  const randomBytes = (count: number) => (count === 4 ? drawn : shared.runtime.randomBytes(count))
  const privacy = createPrivacyService({
    ...shared,
    runtime: { ...shared.runtime, randomBytes },
    mailer: memoryMailer(),
    execution: { immediate: false, subjectIdentityVerificationRequired: true },
  })
  const { id } = await privacy.requests.submit({
    policyKey: 'default_access_policy',
    identities: [{ email: planted.identity }],
  })
  await privacy.close()
  // What was not sent yet would be settled at some later time by the attacked service.
  const mails = shared.storage.table('outboxMail')
  for (const { id: mail } of await mails.find()) await mails.take(mail)
  return id
}
