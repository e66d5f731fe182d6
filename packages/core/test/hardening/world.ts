import { randomBytes } from 'node:crypto'
import {
  type Connector,
  createPrivacyService,
  memoryBlobs,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  type RowKind,
  type Storage,
} from '@habeas/core'

const encryptionKey = randomBytes(32).toString('base64')
export const user = ['user']

export const everything = {
  service_key: 'everything',
  rules: [{ service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: user } }],
}

export const field = (name: string, service_meta: object = {}, more: object = {}) => ({
  name,
  data_categories: user,
  service_meta,
  ...more,
})

/** A storage in memory of which one call fails once: the first of this method that `isIt`. */
export function hiccup(
  kind: RowKind,
  method: 'insert' | 'replace',
  isIt: (row: { readonly status?: string }) => boolean = () => true,
): Storage {
  const inner = memoryStorage()
  let isOver = false
  const table = (asked: RowKind) => {
    const sound = inner.table(asked)
    if (asked !== kind) return sound
    const call = async (row: never) => {
      if (isOver || !isIt(row)) return sound[method](row)
      isOver = true
      throw new Error('one hiccup')
    }
    return { ...sound, [method]: call }
  }
  return { ...inner, table: table as Storage['table'] }
}

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
    execution: { retryMinutes: 0, ...options.execution },
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
  return privacy.requests.settled(id)
}
