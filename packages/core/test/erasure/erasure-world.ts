import { randomBytes } from 'node:crypto'
import {
  type Connector,
  createPrivacyService,
  type Identity,
  memoryBlobs,
  memoryStorage,
  type PrivacyRequest,
  type PrivacyService,
  type PrivacyServiceOptions,
} from '@habeas/core'

const encryptionKey = randomBytes(32).toString('base64')

interface Described {
  /** By connection; every dataset lies behind the one of its key. */
  readonly access?: 'read' | 'write'
  /** Rules of the policy; default: everything under `user`, no strategy named. */
  readonly rules?: readonly object[]
  readonly connectionSecrets?: object
}

export interface ErasureWorldOptions extends Described, Omit<PrivacyServiceOptions, 'secrets' | 'connectors'> {
  readonly connectors?: Connector[]
}

const erasesAll = {
  service_key: 'all',
  action_type: 'erasure',
  data_categories: { matches: 'ANY', values: ['user'] },
}

/** A service whose policy `erase` erases; `connector` serves every dataset. */
export async function erasureWorld(
  connector: Connector,
  datasets: readonly object[],
  options: ErasureWorldOptions = {},
) {
  const { access, rules, connectionSecrets, ...rest } = options
  const storage = rest.storage ?? memoryStorage()
  const blobs = rest.blobs ?? memoryBlobs()
  const privacy: PrivacyService = createPrivacyService({
    encryptionKey,
    connectors: [connector],
    catalogueSeconds: 0,
    ...rest,
    execution: { retryMinutes: 0, ...rest.execution },
    storage,
    blobs,
  })
  await describeErasures(privacy, connector.type, datasets, options)
  const erase = async (...identities: Identity[]) => {
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities })
    return privacy.requests.settled(id)
  }
  /** Up to where the request waits for somebody, or to its end where it does not. */
  const paused = async (id: string): Promise<PrivacyRequest> => {
    for (;;) {
      const request = await privacy.requests.get(id)
      if (['paused', 'error', 'complete'].includes(request.status)) return request
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  return {
    privacy,
    storage,
    blobs,
    erase,
    paused,
    async [Symbol.asyncDispose]() {
      await privacy.close()
    },
  }
}

/** A connection for each dataset, and the policy. */
export async function describeErasures(
  privacy: PrivacyService,
  connectionType: string,
  datasets: readonly object[],
  { access = 'write', rules = [erasesAll], connectionSecrets = { host: 'h' } }: Described = {},
): Promise<void> {
  for (const dataset of datasets as readonly { service_key: string }[]) {
    const key = dataset.service_key
    await privacy.connections.put({ key, connectionType, access } as never)
    await privacy.connections.setSecrets(key, connectionSecrets as never, { verify: false })
    await privacy.connections.attachDataset(key, dataset as never)
  }
  await privacy.policies.put({ service_key: 'erase', rules } as never)
}

/** `{ 'shop:orders': 'masked 2, retained 1 (shared with 1 row of shop:orders)' }`. */
export function erasedOf({ results = [] }: Pick<PrivacyRequest, 'results'>): Record<string, string> {
  return Object.fromEntries(
    results
      .filter(({ actionType }) => actionType === 'erasure')
      .map(({ dataset, collection, outcomes }) => [
        `${dataset}:${collection}`,
        outcomes
          .map(({ outcome, rowCount, reason }) => `${outcome} ${rowCount}${reason === undefined ? '' : ` (${reason})`}`)
          .join(', '),
      ]),
  )
}
