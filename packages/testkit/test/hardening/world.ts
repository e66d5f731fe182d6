import { randomBytes } from 'node:crypto'
import {
  type Connector,
  createPrivacyService,
  memoryBlobs,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
} from '@habeas/core'

const encryptionKey = randomBytes(32).toString('base64')
export const user = ['user']

export async function service(
  connector: Connector,
  dataset: object,
  options: Partial<PrivacyServiceOptions> = {},
  secrets: object = { host: 'h' },
): Promise<PrivacyService> {
  const privacy = createPrivacyService({
    encryptionKey,
    connectors: [connector],
    catalogueSeconds: 0,
    storage: memoryStorage(),
    blobs: memoryBlobs(),
    ...options,
  })
  await privacy.connections.put({ key: 'db', connectionType: connector.type, access: 'read' } as never)
  await privacy.connections.setSecrets('db', secrets as never, { verify: false })
  await privacy.connections.attachDataset('db', dataset as never)
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
