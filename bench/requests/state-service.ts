import { postgresBlobs, postgresConnector, postgresStorage } from '@habeas/adapter-postgres'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import pg from 'pg'
import { dataset } from './people.js'

/** The same in every process of a benchmark. */
const encryptionKey = Buffer.alloc(32, 7).toString('base64')

type StatePool = NonNullable<NonNullable<Parameters<typeof postgresStorage>[0]>['pool']>

export interface StateOptions {
  /** Where the state lies: an address, or a pool over it. */
  readonly state: string | StatePool
  /** True: it runs what waits. False: the caller runs requests one by one. */
  readonly works: boolean
  readonly sweepSeconds?: number
}

/** A service with its state and blobs in PostgreSQL. */
export function stateService({ state, works, sweepSeconds = 86_400 }: StateOptions): PrivacyService {
  const own = typeof state === 'string' ? new pg.Pool({ connectionString: state }) : undefined
  // A server that ends takes its idle clients along.
  own?.on('error', () => {})
  const pool = own ?? (state as StatePool)
  const storage = postgresStorage({ pool })
  const blobs = postgresBlobs({ pool })
  const privacy = createPrivacyService({
    encryptionKey,
    storage,
    blobs,
    connectors: [postgresConnector()],
    execution: { immediate: works, sweepSeconds },
  }) as PrivacyService
  return {
    ...privacy,
    async close() {
      await privacy.close()
      await own?.end()
    },
  }
}

/** Describes the people's database, once for all processes on a state. */
export async function describePeople(privacy: PrivacyService, people: string): Promise<void> {
  await privacy.connections.put({ key: 'db', connectionType: 'postgres', access: 'write' })
  await privacy.connections.setSecrets('db', { url: people }, { verify: false })
  await privacy.connections.attachDataset('db', dataset)
}

/** Runs a request to its end, or says why it did not get there. */
export async function carriedOut(
  privacy: PrivacyService,
  action: 'access' | 'erasure',
  email: string,
): Promise<string> {
  const { id } = await privacy.requests.submit({ policyKey: `default_${action}_policy`, identity: { email } })
  await privacy.requests.run(id)
  const { status, failure } = await privacy.requests.get(id)
  if (status !== 'complete') throw new Error(`The ${action} of ${email} ended in ${status}: ${failure}`)
  return id
}
