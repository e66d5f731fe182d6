import {
  type Connection,
  type Connector,
  createPrivacyService,
  memoryBlobs,
  memoryStorage,
  type PrivacyRequest,
} from '@habeas/core'
import { fakeRuntime } from '@habeas/testkit'
import { describeErasures, erasedOf } from './erasure-world.js'
import { mortal } from './mortal.js'

/** What is left of a request when its life is over. */
export interface CutOff {
  readonly end: unknown
  readonly erased: Readonly<Record<string, string>>
  /** What the receipt says that a table lacks, of those that lack something. */
  readonly writeLimits: Readonly<Record<string, readonly string[]>>
  readonly package: string
}

/** One request, whose process may be killed at the person's database. */
export interface CutOffRequest {
  readonly policyKey: 'access' | 'erase'
  readonly email: string
  /** How many rows a batch writes at most. */
  readonly maxErased: number
  readonly collections: readonly object[]
  /** The connector of the process, which may call `die`, and that of the process which takes its request over. */
  readonly connectors: Readonly<Record<'mortal' | 'successor', Connector>>
  readonly secrets: Readonly<Record<'mortal' | 'successor', object>>
  /** Is called when the request begins, with what kills its process. */
  begin(die: () => void): void
  /** Is called when the process is dead: it resolves when the database knows that. */
  died(): Promise<void>
}

/** Runs a request in a process to which something may happen, and in another one to its end. */
export async function runCutOff(given: CutOffRequest): Promise<CutOff> {
  const runtime = fakeRuntime({ seed: 'cut' })
  const [storage, blobs] = [memoryStorage(), memoryBlobs()]
  const outside = mortal()
  const opened: Connection[] = []
  const options = {
    encryptionKey: Buffer.alloc(32, 3).toString('base64'),
    runtime,
    execution: { immediate: false, retryMinutes: 0 },
  }
  const connectorOf = (whose: 'mortal' | 'successor'): Connector => {
    const connector = given.connectors[whose]
    return {
      ...connector,
      capabilities: { ...connector.capabilities, maxErased: given.maxErased },
      async connect() {
        const connection = await connector.connect(connector.parseSecrets(given.secrets[whose]))
        opened.push(connection)
        return connection
      },
    }
  }
  const mortalService = createPrivacyService({
    ...options,
    storage: outside.storage(storage),
    blobs: outside.blobs(blobs),
    connectors: [connectorOf('mortal')],
  })
  const successor = createPrivacyService({ ...options, storage, blobs, connectors: [connectorOf('successor')] })
  const { type } = given.connectors.successor
  await describeErasures(successor, type, [{ service_key: 'shop', collections: given.collections }], {
    connectionSecrets: given.secrets.successor,
  })
  await successor.policies.put(access)
  const { id } = await successor.requests.submit({ policyKey: given.policyKey, identities: [{ email: given.email }] })
  given.begin(outside.die)
  let isOver = false
  const finished = mortalService.requests.run(id).finally(() => {
    isOver = true
  })
  const death = async () => {
    while (!outside.isDead && !isOver) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.race([finished, death()])
  if (outside.isDead) {
    finished.catch(() => {})
    await given.died()
    for (let attempt = 0; attempt < 3 && !hasEnded(await successor.requests.get(id)); attempt++) {
      runtime.advance(61_000)
      await successor.requests.run(id)
    }
  }
  // somebody looks at what failed, and tries again
  if ((await successor.requests.get(id)).status === 'error') {
    await successor.requests.retry(id)
    await successor.requests.run(id)
  }
  const request = await successor.requests.get(id)
  let text = ''
  if (request.packages?.length) {
    for await (const part of successor.requests.readPackage(id)) text += Buffer.from(part).toString()
  }
  const limits = (request.results ?? []).flatMap(({ dataset, collection, writeLimits }) =>
    writeLimits ? [[`${dataset}:${collection}`, writeLimits] as const] : [],
  )
  for (const connection of opened) await connection.close()
  await successor.close()
  return {
    end: request.failure ?? request.status,
    erased: erasedOf(request),
    writeLimits: Object.fromEntries(limits),
    package: text,
  }
}

const access = {
  service_key: 'access',
  rules: [
    { service_key: 'all', action_type: 'access', data_categories: { matches: 'ANY', values: ['user'] } } as const,
  ],
}

const hasEnded = ({ status }: PrivacyRequest) => status === 'complete' || status === 'error'
