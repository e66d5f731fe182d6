import { beforeEach, describe, expect, it } from 'vitest'
import { tombstoneRows } from '../../src/actions/proof/tombstones.js'
import { writeAll } from '../../src/actions/write-all.js'
import {
  aesSecrets,
  createPrivacyService,
  type Identity,
  memoryBlobs,
  memoryMailer,
  memoryStorage,
  type PrivacyService,
  type PrivacyServiceOptions,
  systemRuntime,
} from '../../src/index.js'

const ann = { email: 'planted-marker@example.org' }
const couple = { name: 'Planted Marker', city: 'Köln' }
const policyKey = 'default_access_policy'
let storage: ReturnType<typeof memoryStorage>
let secrets: ReturnType<typeof aesSecrets>
let mailer: ReturnType<typeof memoryMailer>
let privacy: PrivacyService

function open(options: PrivacyServiceOptions = {}) {
  privacy = createPrivacyService({
    storage,
    secrets,
    mailer,
    blobs: memoryBlobs(),
    ...options,
    execution: { immediate: false, ...options.execution },
  })
}

beforeEach(() => {
  storage = memoryStorage()
  secrets = aesSecrets({ keys: Buffer.alloc(32, 3).toString('base64') })
  mailer = memoryMailer()
  open()
  return () => privacy.close()
})

/** What the end of an erasure leaves behind. */
async function erased(id: string, erasedAt: string, identities: readonly Identity[] = [ann], key = policyKey) {
  const context = { storage, secrets, runtime: systemRuntime }
  const rows = await tombstoneRows(context, { id, policyKey: key }, identities, erasedAt)
  await writeAll(storage, [{ kind: 'tombstone', add: rows }])
  return rows
}

it('a replay without candidates is refused, and says what is missing', async () => {
  const since = '2026-01-01T00:00:00.000Z'
  for (const options of [undefined, {}, { since }, { since, candidates: ann }])
    await expect(privacy.replayErasures(options as never)).rejects.toMatchObject({ code: 'invalid_input' })
  await expect(privacy.replayErasures({ since, candidate: [ann] } as never)).rejects.toThrow('candidate')
})

describe('a tombstone', () => {
  it('recognises a person who was erased, and nobody else', async () => {
    await erased('pri_1', '2026-01-02T00:00:00.000Z', [ann, { user_id: 5 }])
    expect(await privacy.isErased(ann)).toBe(true)
    expect(await privacy.isErased({ ...ann, phone_number: '1' })).toBe(true)
    expect(await privacy.isErased({ user_id: '5' })).toBe(true)
    expect(await privacy.isErased({ email: 'other@example.org' })).toBe(false)
    expect(await privacy.isErased({ order_id: 5 })).toBe(false)
    expect(await privacy.isErased({ email: ` ${ann.email.toUpperCase()}\n` })).toBe(true)
    expect(await privacy.isErased({ email: ann.email.replace('k', '\u212A') })).toBe(false)
  })

  it('of several properties does not match a person who has only one of them', async () => {
    await erased('pri_1', '2026-01-02T00:00:00.000Z', [couple])
    expect(await privacy.isErased({ city: 'Köln' })).toBe(false)
    expect(await privacy.isErased({ name: 'Planted Marker', city: 'Bonn' })).toBe(false)
    expect(await privacy.isErased({ city: 'Köln', age: 40, name: 'Planted Marker' })).toBe(true)
  })

  it('holds no value, and is written once', async () => {
    await erased('pri_1', '2026-01-02T00:00:00.000Z', [ann, couple])
    await erased('pri_1', '2026-01-03T00:00:00.000Z', [ann, couple, ann])
    const rows = await storage.table('tombstone').find()
    expect(rows).toHaveLength(2)
    expect(rows.map(({ erasedAt }) => erasedAt)).toEqual(Array(2).fill('2026-01-02T00:00:00.000Z'))
    expect(JSON.stringify(rows)).not.toMatch(/lanted|Köln|email|city/)
  })

  it('needs the key of the service', async () => {
    await erased('pri_1', '2026-01-02T00:00:00.000Z')
    const other = createPrivacyService({ storage: memoryStorage(), secrets, execution: { immediate: false } })
    for (const row of await storage.table('tombstone').find()) {
      expect(row.identityHash).toMatch(/^[\w-]{43}$/)
    }
    expect(await other.isErased(ann)).toBe(false)
    await other.close()
  })

  it.each([
    ['nothing', {}],
    ['a blank value', { email: ' ' }],
    ['text', 'x'],
    ['nine properties', Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`p${at}`, at]))],
  ])('is not searched for by %s', async (_, identity) => {
    await expect(privacy.isErased(identity as never)).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('erasures that a backup has brought back', () => {
  const since = '2026-01-02'
  const requestsOf = async () => (await privacy.requests.list({ sortDirection: 'asc' })).items

  it('are submitted again, only those since the backup, with the values that were found', async () => {
    await erased('pri_old', '2026-01-01T23:59:59.999Z', [{ user_id: 1 }])
    await erased('pri_1', '2026-01-02T00:00:00.000Z', [ann])
    await erased('pri_2', '2026-01-03T00:00:00.000Z', [couple])
    const candidates = [{ user_id: 1 }, { ...ann, user_id: 9 }, { ...couple, age: 40 }, { email: 'other@example.org' }]
    const replay = await privacy.replayErasures({ since, candidates })
    expect(replay).toMatchObject({ candidates: 4, unreadable: 0, alreadySubmitted: 0, failed: [] })
    const made = await requestsOf()
    expect(made.map(({ id }) => id).sort()).toEqual([...replay.submitted].sort())
    expect(made.map(({ externalId }) => externalId).sort()).toEqual([
      'erased-again/2026-01-02T00:00:00.000Z/pri_1',
      'erased-again/2026-01-02T00:00:00.000Z/pri_2',
    ])
    for (const { id, externalId, ...request } of made) {
      expect(request).toMatchObject({ status: 'pending', policyKey })
      const expected = externalId?.endsWith('pri_1') ? ann : couple
      expect(await privacy.requests.identities(id)).toEqual([expected])
      expect((await privacy.requests.auditTrail(id)).items).toMatchObject([{ actor: 'system' }])
    }
  })

  it('are submitted once, however often and by however many at once', async () => {
    await erased('pri_1', '2026-01-03T00:00:00.000Z')
    const replay = () => privacy.replayErasures({ since, candidates: [ann, ann] })
    const many = await Promise.all(Array.from({ length: 10 }, replay))
    const again = await replay()
    expect(many.flatMap(({ submitted }) => submitted)).toHaveLength(1)
    expect(again).toMatchObject({ submitted: [], alreadySubmitted: 1 })
    expect(await requestsOf()).toHaveLength(1)
    // The same backup, restored once more.
    const second = await privacy.replayErasures({ since, name: 'second', candidates: [ann] })
    expect(second.submitted).toHaveLength(1)
  })

  it('are not what a replay has erased, whatever the replay was called', async () => {
    await erased('pri_1', '2026-01-03T00:00:00.000Z')
    const replay = async (name: string) => {
      const { submitted, alreadySubmitted } = await privacy.replayErasures({ since, name, candidates: [ann] })
      for (const id of submitted) await erased(id, new Date().toISOString(), await privacy.requests.identities(id))
      return [submitted.length, alreadySubmitted]
    }
    expect([await replay('first'), await replay('first')]).toEqual([
      [1, 0],
      [0, 1],
    ])
    expect([await replay('second'), await replay('second'), await replay('first')]).toEqual([
      [1, 0],
      [0, 1],
      [0, 1],
    ])
    const made = (await requestsOf()).map(({ externalId }) => externalId)
    expect(made.sort()).toEqual(['erased-again/first/pri_1', 'erased-again/second/pri_1'])
  })

  it('are found by what a replay has erased, in a backup that was made before the replay', async () => {
    await erased('pri_1', '2026-01-01T00:00:00.000Z')
    await erased('pri_replay', '2026-01-03T00:00:00.000Z')
    await privacy.replayErasures({ since, candidates: [ann] })
    expect(await requestsOf()).toMatchObject([{ externalId: expect.stringMatching(/pri_replay$/) }])
  })

  it('are submitted for all people at once, and once for a person who asked twice', async () => {
    await erased('pri_1', '2026-01-03T00:00:00.000Z', [ann, couple])
    await erased('pri_2', '2026-01-04T00:00:00.000Z', [ann])
    await erased('pri_3', '2026-01-05T00:00:00.000Z', [ann, { user_id: 7 }])
    await erased('pri_4', '2026-01-06T00:00:00.000Z', [ann], 'other')
    await privacy.policies.create({ service_key: 'other', rules: [] })
    const replay = await privacy.replayErasures({ since, candidates: [{ ...ann, user_id: 7 }, couple] })
    expect(replay).toMatchObject({ submitted: { length: 3 }, failed: [] })
    const made = await Promise.all(
      (await requestsOf()).map(async ({ id, externalId }) => [
        externalId?.split('/').at(-1),
        new Set(await privacy.requests.identities(id)),
      ]),
    )
    expect(Object.fromEntries(made)).toEqual({
      pri_1: new Set([ann, couple]),
      pri_3: new Set([{ user_id: 7 }]),
      pri_4: new Set([ann]),
    })
  })

  it('are submitted for people whom an earlier call did not name', async () => {
    await erased('pri_1', '2026-01-03T00:00:00.000Z', [ann, couple])
    expect(await privacy.replayErasures({ since, candidates: [ann] })).toMatchObject({ submitted: { length: 1 } })
    const rest = await privacy.replayErasures({ since, candidates: [ann, couple] })
    expect(await privacy.requests.identities(rest.submitted[0] ?? '')).toEqual([couple])
  })

  it('are submitted for two restorations at once', async () => {
    await erased('pri_1', '2026-01-03T00:00:00.000Z')
    const names = Array.from({ length: 6 }, (_, at) => `restoration-${at % 3}`)
    const all = await Promise.all(names.map((name) => privacy.replayErasures({ since, name, candidates: [ann] })))
    expect(all.flatMap(({ submitted }) => submitted)).toHaveLength(3)
  })

  it('go on where an interrupted replay stopped', async () => {
    await erased('pri_1', '2026-01-03T00:00:00.000Z', [ann])
    await erased('pri_2', '2026-01-03T00:00:00.000Z', [{ user_id: 7 }])
    async function* breakingOff(): AsyncIterable<Identity> {
      yield ann
      for (let at = 0; at < 600; at++) yield { user_id: 1_000 + at }
      throw new Error('the restored database broke off')
    }
    await expect(privacy.replayErasures({ since, candidates: breakingOff() })).rejects.toThrow('broke off')
    expect(await requestsOf()).toHaveLength(0)
    await privacy.replayErasures({ since, candidates: [ann] })
    const rest = await privacy.replayErasures({ since, candidates: [ann, { user_id: 7 }] })
    expect(rest).toMatchObject({ submitted: [expect.any(String)], alreadySubmitted: 1 })
  })

  it('ask nobody to verify anything, and report to nobody that a request came in', async () => {
    await privacy.close()
    open({ execution: { subjectIdentityVerificationRequired: true } })
    await erased('pri_1', '2026-01-03T00:00:00.000Z', [{ user_id: 7 }])
    await privacy.replayErasures({ since, candidates: [{ user_id: 7 }] })
    expect(await requestsOf()).toMatchObject([{ status: 'pending' }])
    expect(await storage.table('outboxMail').count()).toBe(0)
    expect(await storage.table('verificationCode').count()).toBe(0)
    expect(mailer.outbox).toEqual([])
  })

  it('send mails to nobody, however they end, since the person has not asked again', async () => {
    await privacy.close()
    open({ execution: { requireManualRequestApproval: true } })
    const policyKey = 'erase'
    const rule = { service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values: ['user'] } }
    await privacy.policies.create({ service_key: policyKey, execution_timeframe: 'gdpr', rules: [rule] } as never)
    await privacy.connections.put({ key: 'desk', connectionType: 'manual', access: 'write' })
    const left = { name: 'customer', fields: [{ name: 'email', service_meta: { identity: 'email' } }] }
    await privacy.connections.attachDataset('desk', { service_key: 'shop', collections: [left] } as never)
    const names = ['approved', 'denied', 'late']
    for (const [at, name] of names.entries()) {
      await erased(`pri_${at}`, '2026-01-03T00:00:00.000Z', [{ email: `${name}@example.org` }], policyKey)
    }
    const candidates = names.map((name) => ({ email: `${name}@example.org` }))
    const { submitted } = await privacy.replayErasures({ since, candidates })
    const [approved, denied, late] = submitted as [string, string, string]
    await privacy.requests.approve(approved)
    await privacy.requests.run(approved)
    await privacy.requests.deny(denied, { reason: 'restored by mistake' })
    await privacy.requests.extendDeadline(late, { reason: 'many' })
    expect((await privacy.requests.get(approved)).status).toBe('complete')
    expect((await privacy.requests.get(denied)).status).toBe('denied')
    expect(await storage.table('outboxMail').find()).toEqual([])

    // The person's own request is answered.
    const { id } = await privacy.requests.submit({ policyKey, identities: [ann] })
    await privacy.requests.approve(id)
    await privacy.requests.run(id)
    const kinds = (await storage.table('outboxMail').find()).map((mail) => mail.kind)
    expect(kinds.sort()).toEqual(['request_completion', 'request_receipt', 'request_review'])
  })

  it('are counted where they cannot be submitted, or where a candidate is nobody', async () => {
    await erased('pri_1', '2026-01-03T00:00:00.000Z', [ann], 'gone')
    const candidates = [{ email: '' }, null as unknown as Identity, ann]
    const replay = await privacy.replayErasures({ since, candidates })
    expect(replay).toMatchObject({ candidates: 3, unreadable: 2, submitted: [], alreadySubmitted: 0 })
    expect(replay.failed).toEqual([{ requestId: 'pri_1', message: expect.stringContaining("none has the key 'gone'") }])
    // It is not taken for done.
    await privacy.policies.create({ service_key: 'gone', rules: [] })
    expect((await privacy.replayErasures({ since, candidates })).submitted).toHaveLength(1)
  })

  it.each([
    ['no time', {}, ['since']],
    ['another word for a time', { since: 'yesterday' }, ['since']],
    ['a name that is no name', { since, name: 'a b' }, ['name']],
  ])('are not searched for with %s', async (_, options, loc) => {
    const replay = privacy.replayErasures({ ...(options as { since: string }), candidates: [ann] })
    await expect(replay).rejects.toMatchObject({ code: 'invalid_input', details: { issues: [{ loc }] } })
  })
})
