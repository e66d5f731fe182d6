import { aesSecrets, createPrivacyService, type Secrets } from '@habeas/core'
import { expect, it } from 'vitest'
import { postgresConnector, postgresStorage } from '../src/index.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
const key = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const sealedWith = (...bytes: number[]) =>
  aesSecrets({ keys: Object.fromEntries(bytes.map((byte) => [`key-${byte}`, key(byte)])), current: `key-${bytes[0]}` })

it('refuses another key than the one that the storage was begun with', async () => {
  /** What a process with these keys says. Every process has a storage of its own. */
  async function process(secrets: Secrets) {
    const storage = postgresStorage({ connectionString: server.url })
    const execution = { immediate: false }
    const privacy = createPrivacyService({ secrets, storage, connectors: [postgresConnector()], execution })
    try {
      return await privacy.connections.put({ key: 'shop', connectionType: 'postgres' })
    } finally {
      await privacy.close()
      await storage.close()
    }
  }
  // Of several first processes one makes the row, and all of them open it.
  await Promise.all([process(sealedWith(1)), process(sealedWith(1)), process(sealedWith(1))])
  await expect(process(sealedWith(2))).rejects.toMatchObject({ code: 'misconfigured', details: { option: 'secrets' } })
  await process(sealedWith(2, 1))
  await process(sealedWith(1))
})
