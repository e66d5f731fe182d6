import { json } from 'node:stream/consumers'
import { afterEach, beforeEach } from 'vitest'
import {
  createPrivacyService,
  memoryBlobs,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type Storage,
} from '../../src/index.js'
import { type SmallShop, smallShop } from './small-shop.js'
import { storedText } from './stored-text.js'
import { type WebhookReceiver, webhookReceiver } from './webhook-receiver.js'

export const identities = [{ email: 'ann@example.org' }]
export const policyKey = 'default_access_policy'
export const secret = 'a secret that is long enough'
export let storage: Storage
export let shop: SmallShop
export let receiver: WebhookReceiver
export let privacy: PrivacyService
const blobs = memoryBlobs()

/** Opens a service and a receiver for each test of the file that calls this, and closes them. */
export function openForEachTest(): void {
  beforeEach(async () => {
    storage = memoryStorage()
    shop = smallShop()
    receiver = await webhookReceiver()
    privacy = openService()
    await shop.describeTo(privacy)
  })
  afterEach(async () => {
    await privacy.close()
    await receiver.close()
  })
}

export function openService({ webhooks, execution, ...options }: PrivacyServiceOptions = {}) {
  return createPrivacyService({
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    connectors: [shop.connector],
    storage,
    blobs,
    ...options,
    webhooks: { allowPrivateAddresses: true, retryDelaySeconds: 0, timeoutSeconds: 2, ...webhooks },
    execution: { immediate: false, ...execution },
  })
}

export type Phase = 'pre_execution' | 'post_execution'
export type Hook = [key: string, direction?: 'one_way' | 'two_way', more?: object]

/** Webhooks that call the receiver under their own keys. */
export const define = (phase: Phase, ...hooks: Hook[]) =>
  privacy.policyWebhooks.put(
    policyKey,
    phase,
    hooks.map(([key, direction = 'two_way', more = {}]) => ({ key, direction, url: receiver.url(`/${key}`), ...more })),
  )

export async function run(given = identities) {
  const { id } = await privacy.requests.submit({ policyKey, identities: given })
  await privacy.requests.run()
  return id
}

export async function again(id: string) {
  await privacy.requests.retry(id)
  await privacy.requests.run()
  return privacy.requests.get(id)
}

export const get = (id: string) => privacy.requests.get(id)
export const statusOf = async (id: string) => (await get(id)).status
export const tokenOf = (path: string) =>
  receiver.heard.findLast((call) => call.path === path)?.headers['reply-to-token'] as string

export const packageOf = (id: string) => json(privacy.requests.readPackage(id)) as Promise<Record<string, unknown[]>>

export const dump = () => storedText(storage)

/** Another service in the place of the first, which the test has closed. */
export function reopen(...options: Parameters<typeof openService>): PrivacyService {
  privacy = openService(...options)
  return privacy
}
