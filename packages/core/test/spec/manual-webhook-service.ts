import { json } from 'node:stream/consumers'
import { afterEach, beforeEach } from 'vitest'
import {
  createPrivacyService,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type Storage,
} from '../../src/index.js'

export const marker = 'planted-marker'
export const identities = [{ email: `${marker}@example.org` }]
export const fields = [{ piiField: 'Full name', dsrPackageLabel: 'name' }, { piiField: 'Phone Number' }]
export let storage: Storage
export let privacy: PrivacyService

/** Opens a service for each test of the file that calls this, and closes it. */
export function openForEachTest(): void {
  beforeEach(() => {
    storage = memoryStorage()
    privacy = openService()
  })
  afterEach(() => privacy.close())
}

export function openService(execution: object = {}, rows = storage, options: PrivacyServiceOptions = {}) {
  const encryptionKey = Buffer.alloc(32, 3).toString('base64')
  return createPrivacyService({
    encryptionKey,
    storage: rows,
    execution: { immediate: false, ...execution },
    ...options,
  })
}

export async function define(key = 'paper_files', definition: object = { fields }) {
  await privacy.connections.put({ key, name: `Files of ${key}`, connectionType: 'manual_webhook' })
  return privacy.manualWebhooks.patch(key, definition)
}

/** A request that waits for uploads. */
export async function waiting(policyKey = 'default_access_policy') {
  const { id } = await privacy.requests.submit({ policyKey, identities })
  await privacy.requests.run()
  return id
}

export const statusOf = async (id: string) => (await privacy.requests.get(id)).status

export const packageOf = (id: string, rule?: string) =>
  json(privacy.requests.readPackage(id, { rule })) as Promise<Record<string, unknown[]>>

/** Another service in the place of the first, which the test has closed. */
export function reopen(...options: Parameters<typeof openService>): PrivacyService {
  privacy = openService(...options)
  return privacy
}
