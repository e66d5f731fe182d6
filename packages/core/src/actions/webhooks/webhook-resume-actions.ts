import { createHash, timingSafeEqual } from 'node:crypto'
import { isPrivacyError, PrivacyError } from '../../errors.js'
import { keySchema } from '../../model/key.js'
import type { PrivacyRequest } from '../../model/privacy-request.js'
import { parseResume } from '../../model/webhook-answer-content.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import type { WebhookCallRow } from '../../ports/webhook-rows.js'
import { eachRequest } from '../not-done.js'
import { invalidState, moveRequest, requestRow } from '../requests/move-request.js'
import { openPersonalData } from '../requests/personal-data.js'
import type { RequestContext } from '../requests/request-context.js'
import { showWritten } from '../requests/show-requests.js'
import { overtaken } from '../until-written.js'
import { replyTokenOf, withDerivedIdentity } from './webhook-call-id.js'

/** Resumes or ends requests that a policy webhook has halted (docs/policy-webhooks.md). */
export function webhookResumeActions(context: RequestContext) {
  const { storage, runtime } = context

  /** The call that a token was made for. Every wrong token gets the same answer. */
  async function callOf(id: string, token: string) {
    if (!keySchema.safeParse(id).success) throw invalidToken()
    const rows = await storage.table('webhookCall').find({ where: { requestId: { equals: id } } })
    if (rows.length === 0) throw invalidToken()
    const opened = await openPersonalData(context, id).catch((error) => {
      throw isPrivacyError(error, 'gone') ? invalidToken() : error
    })
    const call = rows.find((row) => isSame(replyTokenOf(row, opened.dataKey), token))
    if (!call) throw invalidToken()
    return { call, dataKey: opened.dataKey }
  }

  /** Ends a request that waited too long. A retry calls its webhook again, with another token. */
  async function expire(row: PrivacyRequestRow): Promise<boolean> {
    const failure = `A webhook halted request '${row.id}', and nobody resumed it until ${row.resumeBy}: retry it, or cancel it.`
    const moved = await moveRequest(context, row, {
      event: 'expire',
      actor: 'system',
      changes: { failure, finishedProcessingAt: runtime.now().toISOString() },
      also: async (within) => {
        const calls = await within.table('webhookCall').find({ where: { requestId: { equals: row.id } } })
        for (const { id, state } of calls) if (state === 'halted') await within.table('webhookCall').take(id)
      },
    })
    if (moved) context.changed?.(row.id, moved.status)
    return moved !== undefined
  }

  const isExpired = ({ resumeBy }: Pick<PrivacyRequestRow, 'resumeBy'>) =>
    resumeBy !== undefined && resumeBy <= runtime.now().toISOString()

  return {
    async resume(id: string, token: string, input: unknown = {}): Promise<PrivacyRequest> {
      const { call, dataKey } = await callOf(id, token)
      const { derivedIdentity } = parseResume(input)
      const request = await requestRow(storage, id)
      if (call.state !== 'halted' || request.status !== 'paused') throw notHalted(request, call)
      if (isExpired(call)) {
        await expire(request)
        throw new PrivacyError('token_expired', `The time to resume request '${id}' is over: retry it, or cancel it.`)
      }
      const answered = { ...call, version: call.version + 1, state: 'answered' as const }
      const row = withDerivedIdentity(answered, derivedIdentity, dataKey, runtime)
      const moved = await context.move(id, `webhook:${call.webhook}`, (current) => {
        if (current.status !== 'paused') throw notHalted(current, call)
        return { event: 'resume', also: (within) => release(within, row) }
      })
      await context.tell(id)
      return showWritten(context, moved)
    },

    /** Ends requests whose time to be resumed is over. Resolves with their number. */
    async expireRequests(): Promise<number> {
      const paused = await storage.table('privacyRequest').find({ where: { status: { equals: 'paused' } } })
      return eachRequest(context, paused.filter(isExpired), {
        doing: 'end a request that was not resumed',
        work: expire,
      })
    },
  }
}

/** One token lets a request continue once: a second caller finds another version. */
async function release(within: Storage, row: WebhookCallRow): Promise<void> {
  if (await within.table('webhookCall').replace(row)) return
  throw overtaken('webhook call', row.id)
}

function notHalted(request: PrivacyRequestRow, call: WebhookCallRow): PrivacyError<'invalid_state'> {
  if (request.status !== 'paused') return invalidState(request, 'resume')
  const message = `The reply token of webhook '${call.webhook}' was used already: request '${request.id}' waits for another.`
  return new PrivacyError('invalid_state', message, { status: request.status, event: 'resume' })
}

function invalidToken(): PrivacyError<'unauthenticated'> {
  const message = 'This reply token is not valid for this request: send the one that came with the call that halted it.'
  return new PrivacyError('unauthenticated', message, { reason: 'invalid_token' })
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()

function isSame(token: string | undefined, given: string): boolean {
  return token !== undefined && timingSafeEqual(hashOf(token), hashOf(given))
}
