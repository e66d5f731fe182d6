import { randomBytes } from 'node:crypto'
import {
  createPrivacyService,
  type Blobs,
  memoryBlobs,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
} from '@habeas/core'
import { type MemoryConnector } from '@habeas/testkit'

export const encryptionKey = randomBytes(32).toString('base64')
export const user = ['user']

export async function service(
  connector: MemoryConnector | PrivacyServiceOptions['connectors'] extends infer _ ? any : never,
  dataset: object,
  options: Partial<PrivacyServiceOptions> = {},
): Promise<PrivacyService> {
  const privacy = createPrivacyService({
    encryptionKey,
    connectors: [connector],
    catalogueSeconds: 0,
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    ...options,
  })
  if (dataset) {
    await privacy.connections.put({ key: 'db', connectionType: connector.type, access: 'read' })
    await privacy.connections.setSecrets('db', connector.type === 'mongodb' ? { host: 'h', user: 'u', password: 'p' , defaultauthdb: 'd'} : { host: 'h' }, { verify: false })
    await privacy.connections.attachDataset('db', dataset)
  }
  return privacy
}

export async function packageOf(privacy: PrivacyService, id: string): Promise<Record<string, unknown[]>> {
  let text = ''
  for await (const part of privacy.requests.readPackage(id)) text += Buffer.from(part).toString()
  return JSON.parse(text)
}

export async function ask(privacy: PrivacyService, identity: Record<string, string | number>) {
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identity })
  return privacy.requests.settled(id, { signal: AbortSignal.timeout(8_000) })
}

export type { Blobs }
