import { createPrivacyService, isPrivacyError, type PrivacyService } from '@habeas/core'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { postgresBlobs, postgresStorage } from '../src/index.js'
import { cuttingProxy } from './cutting-proxy.js'
import { sharedServer } from './shared-server.js'

const server = sharedServer()
let schemas = 0

/** A service whose lines to its state can be broken off, and what the state holds. */
async function world() {
  const schema = `lost_answers_${++schemas}`
  const proxy = await cuttingProxy(server.url)
  const storage = postgresStorage({ connectionString: proxy.url, schema, poolSize: 2 })
  const blobs = postgresBlobs({ connectionString: server.url, schema })
  const privacy: PrivacyService = createPrivacyService({
    encryptionKey: Buffer.alloc(32, 5).toString('base64'),
    storage,
    blobs,
    logger: false,
    // Nothing else speaks with the state meanwhile.
    execution: { immediate: false, inProcess: false },
  })
  const direct = new pg.Client(server.url)
  await direct.connect()
  onTestFinished(async () => {
    await privacy.close()
    await Promise.all([storage.close(), blobs.close(), direct.end(), proxy.close()])
  })
  const count = async (kind: string) =>
    Number((await direct.query(`select count(*) from ${schema}.record_${kind}`)).rows[0].count)
  return { privacy, proxy, count }
}

type World = Awaited<ReturnType<typeof world>>

/** Calls that write, by one statement or in a transaction, and what each adds one row to. */
const calls: Record<string, { call: (service: PrivacyService) => Promise<unknown>; adds: string }> = {
  'submit a request': {
    call: (privacy) =>
      privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email: 'ann@example.com' }] }),
    adds: 'privacy_request',
  },
  'create a client': { call: (privacy) => privacy.clients.create({ scopes: ['policy:read'] }), adds: 'client' },
  'make a legal hold': {
    call: (privacy) => privacy.holds.create({ identities: [{ email: 'ann@example.com' }], reason: 'A claim.' }),
    adds: 'legal_hold',
  },
}

/** How the call ends when its nth statement gets no answer, and how many rows it has added. Undefined where it has fewer. */
async function endWithout(
  { privacy, proxy, count }: World,
  { at, comesBack }: { readonly at: number; readonly comesBack: boolean },
  { call, adds }: (typeof calls)[string],
) {
  const before = await count(adds)
  const onCut = () => void (comesBack && setTimeout(() => proxy.heal(), 20))
  proxy.begin({ command: at, moment: 'after', onCut })
  const error = await call(privacy).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  const statement = proxy.commands()[at - 1]
  proxy.heal()
  if (error !== undefined && !isPrivacyError(error, 'unavailable')) throw error
  const { outcome } = error?.details ?? {}
  return statement === undefined
    ? undefined
    : { statement, isRefused: error !== undefined, outcome, added: (await count(adds)) - before }
}

/** How the call ends without the answer to each of its statements, one after the other. */
async function endsOf(call: (typeof calls)[string], comesBack: boolean) {
  const opened = await world()
  // The first call makes the keys of the service.
  await call.call(opened.privacy)
  const ends = []
  for (let at = 1; ; at++) {
    const end = await endWithout(opened, { at, comesBack }, call)
    if (!end) return ends
    ends.push(end)
  }
}

describe('a call whose answer from the state is lost', { timeout: 60_000 }, () => {
  it.each(Object.entries(calls))('is done once, or refused and not done: %s', async (_, call) => {
    const ends = await endsOf(call, true)
    for (const end of ends) expect.soft(end).toMatchObject({ outcome: undefined, added: end.isRefused ? 0 : 1 })
    expect(ends.some(({ isRefused }) => !isRefused)).toBe(true)
  })

  it.each(Object.entries(calls))('says where it may have been done and the state stays away: %s', async (_, call) => {
    const ends = await endsOf(call, false)
    for (const end of ends) {
      const isUnknown = end.isRefused && end.added === 1
      expect.soft(end).toMatchObject({ outcome: isUnknown ? 'unknown' : undefined })
    }
    expect(ends.filter(({ outcome }) => outcome).length).toBeGreaterThan(0)
  })
})
