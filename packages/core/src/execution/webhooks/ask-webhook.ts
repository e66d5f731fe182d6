import { webhookSealContext } from '../../actions/webhooks/policy-webhooks.js'
import { webhookSignature } from '../../crypto/webhook-signature.js'
import { isPrivacyError, PrivacyError } from '../../errors.js'
import type { Identity } from '../../model/identity.js'
import type { WebhookPhase } from '../../model/policy-webhook.js'
import { parseWebhookAnswer, type WebhookAnswerContent } from '../../model/webhook-answer-content.js'
import type { Runtime } from '../../ports/runtime.js'
import type { Secrets } from '../../ports/secrets.js'
import type { StoredPolicyWebhook } from '../../ports/webhook-rows.js'
import type { WebhookAnswer, WebhookSender } from '../../ports/webhooks.js'
import { pause } from '../run/pause.js'

/** How webhooks are called. */
export interface WebhookSettings {
  readonly sender: WebhookSender
  /** Further attempts when the receiver does not answer, or answers that it failed. */
  readonly retries: number
  /** The pause before the first retry. Each further pause is twice as long. */
  readonly retryDelaySeconds: number
  /** How long a halted request waits until the receiver resumes it. */
  readonly resumeMinutes: number
}

/** One call, with the request it is about. */
export interface WebhookQuestion {
  readonly requestId: string
  readonly policyKey: string
  readonly phase: WebhookPhase
  readonly webhook: StoredPolicyWebhook
  readonly identities: readonly Identity[]
  readonly idempotencyKey: string
  /** The receiver that halts the request resumes it with this token. */
  readonly replyToken: string | undefined
}

export interface AskedWebhook extends WebhookAnswerContent {
  /** The HTTP status of the answer. */
  readonly status: number
}

export interface AskingContext {
  readonly secrets: Secrets
  readonly runtime: Runtime
  readonly settings: WebhookSettings
  readonly signal: AbortSignal
}

/**
 * Calls one webhook until it answers, in a bounded number of attempts. Rejects with `connection_failed` and the name of the
 * webhook when it does not answer, or when a two-way webhook sends an invalid answer.
 */
export async function askWebhook(question: WebhookQuestion, context: AskingContext): Promise<AskedWebhook> {
  const { webhook, phase, policyKey } = question
  const isRead = webhook.direction === 'two_way'
  try {
    const answer = await sendUntilAnswered(question, context)
    // The answer of a one-way webhook is not read.
    const content = isRead ? contentOf(answer) : { halt: false }
    return { ...content, status: answer.status }
  } catch (error) {
    context.signal.throwIfAborted()
    // A key server that is away, and so does not open the secret, is not the receiver's fault.
    if (isPrivacyError(error, 'unavailable')) throw error
    const known = PrivacyError.from(error)
    const reason = isPrivacyError(known, 'connection_failed') ? known.details.reason : undefined
    const kind = phase === 'pre_execution' ? 'pre-execution' : 'post-execution'
    const message = `The ${kind} webhook '${webhook.key}' of policy '${policyKey}' failed: ${known.message} Retry calls this webhook again, and not those that have answered.`
    throw new PrivacyError('connection_failed', message, reason === undefined ? {} : { reason }, { cause: error })
  }
}

async function sendUntilAnswered(question: WebhookQuestion, context: AskingContext): Promise<WebhookAnswer> {
  const { sender, retries, retryDelaySeconds } = context.settings
  const { signal } = context
  const secret = await secretOf(question, context.secrets)
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= retries
    try {
      const answer = await sender.send(callOf(question, secret, context.runtime.now()), { signal })
      if (isLast || !isTemporary(answer.status)) return answer
    } catch (error) {
      const isFinal = isPrivacyError(error, 'connection_failed') && error.details.reason === 'refused_address'
      if (isLast || isFinal) throw error
    }
    await pause(retryDelaySeconds * 2 ** attempt * 1_000, signal)
    signal.throwIfAborted()
  }
}

/** The receiver says that it failed, or that it gets too many calls. */
const isTemporary = (status: number) => status >= 500 || status === 429

async function secretOf({ webhook, policyKey, phase }: WebhookQuestion, secrets: Secrets): Promise<string | undefined> {
  if (webhook.sealedSecret === undefined) return undefined
  const sealed = Buffer.from(webhook.sealedSecret, 'base64')
  return new TextDecoder().decode(await secrets.open(sealed, webhookSealContext(policyKey, phase, webhook.key)))
}

function callOf(question: WebhookQuestion, secret: string | undefined, now: Date) {
  const { requestId, policyKey, phase, webhook, identities, idempotencyKey, replyToken } = question
  const body = JSON.stringify({
    privacy_request_id: requestId,
    direction: webhook.direction,
    callback_type: phase === 'pre_execution' ? 'pre' : 'post',
    identities,
    policy_key: policyKey,
    timestamp: now.toISOString(),
  })
  const headers = {
    'idempotency-key': idempotencyKey,
    ...(secret !== undefined && { 'habeas-signature': webhookSignature(secret, now, body) }),
    ...(replyToken !== undefined && {
      'reply-to': `/privacy-request/${requestId}/resume`,
      'reply-to-token': replyToken,
    }),
  }
  return { url: webhook.url, headers, body, readAnswer: webhook.direction === 'two_way' }
}

/** The content of a two-way webhook's answer. Messages never repeat it, because it may identify a person. */
function contentOf({ status, body }: WebhookAnswer): WebhookAnswerContent {
  const unfit = (message: string, cause?: unknown) =>
    new PrivacyError('connection_failed', message, { reason: 'unfit_answer' }, { cause })
  if (status < 200 || status > 299) throw unfit(`It answered with the status ${status}.`)
  let answer: unknown
  try {
    answer = JSON.parse(body)
  } catch {
    throw unfit('Its answer is not JSON: a two-way webhook that has nothing to say answers {}.')
  }
  try {
    return parseWebhookAnswer(answer)
  } catch (error) {
    throw unfit(PrivacyError.from(error).message, error)
  }
}
