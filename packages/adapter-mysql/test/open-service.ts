import { randomBytes } from 'node:crypto'
import { createPrivacyService, type Dataset, type PrivacyService } from '@habeas/core'
import { expect } from 'vitest'
import { connectorOf, type Kind } from './servers.js'

/** A service with one connection, 'shop', and policies to erase and to access everything of a user. */
export async function openService(kind: Kind, url: string): Promise<PrivacyService> {
  const privacy = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [connectorOf(kind)],
  })
  await privacy.connections.put({ key: 'shop', connectionType: kind, access: 'write' })
  expect(await privacy.connections.setSecrets('shop', { url })).toMatchObject({ testStatus: 'succeeded' })
  const all = { service_key: 'all', data_categories: { matches: 'ANY', values: ['user'] } } as const
  await privacy.policies.put({ service_key: 'erase', rules: [{ ...all, action_type: 'erasure' }] })
  await privacy.policies.put({ service_key: 'access', rules: [{ ...all, action_type: 'access' }] })
  return privacy
}

/** Erases ann@x.com from these collections of the dataset 'shop', and tells how that ended. */
export async function erasedAnn(kind: Kind, url: string, collections: readonly object[]) {
  const privacy = await openService(kind, url)
  try {
    await privacy.connections.attachDataset('shop', { service_key: 'shop', collections } as unknown as Dataset)
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email: 'ann@x.com' }] })
    const { status, failure } = await privacy.requests.settled(id)
    return { status, failure }
  } finally {
    await privacy.close()
  }
}
