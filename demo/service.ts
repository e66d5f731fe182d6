import { randomBytes } from 'node:crypto'
import { postgresConnector } from '@habeas/adapter-postgres'
import { createPrivacyService, memoryBlobs, type PrivacyService } from '@habeas/core'
import { annotated } from './annotate.js'
import { subject } from './shop/subject.js'

/** Either telephone and e-mail address together, or the address she had before: alternatives, the first of two parts. */
export const identities = [{ email: subject.email, phone_number: subject.phoneNumber }, { email: subject.formerEmail }]

/** A service over a database, its blobs in memory so that nothing is left of it, however the process ends. */
export async function openService(url: string): Promise<PrivacyService> {
  const privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [postgresConnector()],
    blobs: memoryBlobs(),
  })
  await connectShop(privacy, url)
  return privacy
}

/** Adds the shop's database as a connection and tests it. */
export async function connectShop(privacy: PrivacyService, url: string): Promise<void> {
  await privacy.connections.put({ key: 'shop', name: 'Shop', connectionType: 'postgres', access: 'write' })
  const { testStatus, failureReason } = await privacy.connections.setSecrets('shop', { url })
  if (testStatus !== 'succeeded') throw new Error(`The shop cannot be reached: ${failureReason}`)
}

/** Describes the shop as a person would: the draft, the accepted proposals, the annotations. */
export async function describeShop(privacy: PrivacyService) {
  const draft = await privacy.connections.draftDataset('shop', { key: 'shop', name: 'Shop' })
  const { findings } = await privacy.connections.attachDataset('shop', annotated(draft))
  return { draft, findings }
}
