import { randomBytes } from 'node:crypto'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
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
