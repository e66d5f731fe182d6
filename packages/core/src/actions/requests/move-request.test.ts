import { describe, expect, it } from 'vitest'
import { memoryStorage } from '../../builtin/memory-storage.js'
import { systemRuntime } from '../../builtin/system-runtime.js'
import { type RequestStatus, requestStatuses } from '../../model/privacy-request.js'
import { auditAction, nextStatus, type RequestEvent, requestEvents } from '../../rules/request/request-lifecycle.js'
import { moveOrRefuse, requestRow } from './move-request.js'

const id = 'pri_one'

/** A request in a status, and nothing else. */
async function keeperWith(status: RequestStatus) {
  const storage = memoryStorage()
  const createdAt = '2026-01-01T00:00:00.000Z'
  await storage.table('privacyRequest').insert({
    id,
    version: 1,
    status,
    policyKey: 'all',
    createdAt,
    requestedAt: createdAt,
    encrypted: false,
  })
  return { storage, runtime: systemRuntime }
}

const every = requestStatuses.flatMap((status) => requestEvents.map((event) => [status, event] as const))
const moves = every.filter(([status, event]) => nextStatus(status, event) !== undefined)
const refusals = every.filter(([status, event]) => nextStatus(status, event) === undefined)

describe('every status and every event', () => {
  it.each(moves)(
    '%s, %s: of fifty at once one moves it, and writes one entry in the audit trail',
    async (from, event) => {
      const keeper = await keeperWith(from)
      const attempts = await Promise.allSettled(
        Array.from({ length: 50 }, (_, at) => moveOrRefuse(keeper, id, { event, actor: `client-${at}` })),
      )
      const to = nextStatus(from, event) as RequestStatus
      const won = attempts.flatMap((each, at) => (each.status === 'fulfilled' ? [at] : []))
      expect(won).toHaveLength(1)
      for (const each of attempts) {
        if (each.status === 'rejected') expect(each.reason).toMatchObject(refusal(to, event))
      }
      expect(await requestRow(keeper.storage, id)).toMatchObject({ status: to, version: 2 })
      expect(await keeper.storage.table('auditEntry').find()).toMatchObject([
        { action: auditAction(event), actor: `client-${won[0]}`, detail: { from, to } },
      ])
    },
  )

  it.each(refusals)('%s, %s: is refused, naming both, and changes nothing', async (status, event) => {
    const keeper = await keeperWith(status)
    const before = await requestRow(keeper.storage, id)
    await expect(moveOrRefuse(keeper, id, { event, actor: 'host' })).rejects.toMatchObject(refusal(status, event))
    expect(await requestRow(keeper.storage, id)).toStrictEqual(before)
    expect(await keeper.storage.table('auditEntry').count()).toBe(0)
  })
})

function refusal(status: RequestStatus, event: RequestEvent) {
  const message = expect.stringMatching(new RegExp(`'${id}' is in status '${status}', so '${event}' does not apply`))
  return { code: 'invalid_state', message, details: { status, event } }
}
