import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createPrivacyService, memoryBlobs, type PrivacyRequest, type PrivacyService } from '@habeas/core'
import { postgresConnector } from '../../../adapter-postgres/src/index.js'
import { answered, type Described } from './answered.js'
import { identitiesOf, type Person, type SampleSchema } from './sample-schema.js'

const encryptionKey = randomBytes(32).toString('base64')

/** A service over one database of which nothing is described yet. Closed by the caller. */
export async function openDatabase(name: string, url: string): Promise<PrivacyService> {
  const privacy = createPrivacyService({
    execution: { retryMinutes: 0 },
    encryptionKey,
    connectors: [postgresConnector()],
    blobs: memoryBlobs(),
  })
  try {
    await privacy.connections.put({ key: name, connectionType: 'postgres', access: 'write' })
    await privacy.connections.setSecrets(name, { url }, { verify: false })
    return privacy
  } catch (error) {
    await privacy.close()
    throw error
  }
}

/** The same, described as its team does it: the draft, then the answers. */
export async function openSample({ name, answers }: SampleSchema, url: string, described: Described = {}) {
  const privacy = await openDatabase(name, url)
  try {
    const draft = await privacy.connections.draftDataset(name)
    const dataset = answered(draft, answers, described)
    const { open } = await privacy.connections.attachDataset(name, dataset)
    return { privacy, draft, dataset, open }
  } catch (error) {
    await privacy.close()
    throw error
  }
}

/** A request that asks whoever runs it goes no further by itself. */
const ends: readonly string[] = ['complete', 'error', 'paused']

/** Submits for a person and waits for the end, accepting what the schema says is left open and what was not searched. */
export async function settledFor(
  { privacy, policyKey, schema: { name, truth } }: Submitted,
  person: Person,
): Promise<PrivacyRequest> {
  const acceptUndecided = Object.entries(truth).flatMap(([table, { undecided }]) =>
    (undecided?.by ?? []).map((field) => `${name}:${table}.${field}`),
  )
  const { id } = await privacy.requests.submit({
    policyKey,
    identities: identitiesOf(person),
    acceptUnsearched: true,
    ...(acceptUndecided.length > 0 && { acceptUndecided }),
  })
  for (;;) {
    const request = await privacy.requests.get(id)
    if (ends.includes(request.status)) return request
    await delay(20)
  }
}

interface Submitted {
  readonly privacy: PrivacyService
  readonly policyKey: string
  readonly schema: SampleSchema
}

/** What the person is given, by collection. */
export async function packageOf(
  privacy: PrivacyService,
  id: string,
): Promise<Record<string, Record<string, unknown>[]>> {
  const parts: Uint8Array[] = []
  for await (const part of privacy.requests.readPackage(id)) parts.push(part)
  return JSON.parse(Buffer.concat(parts).toString())
}
