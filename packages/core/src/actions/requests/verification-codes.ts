import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Issue, PrivacyError } from '../../errors.js'
import { invalidInput } from '../../model/parse-input.js'
import type { OutboxMailRow, PrivacyRequestRow, VerificationCodeRow } from '../../ports/rows.js'
import type { Runtime } from '../../ports/runtime.js'
import { addressIssues } from '../../rules/request/proven-properties.js'
import { failureLimit } from '../access/failure-limit.js'
import type { OpenedRequest } from '../mail/request-mails.js'
import { untilWritten } from '../until-written.js'
import type { RequestContext } from './request-context.js'

/** A code as it is stored, with its mail. */
export interface IssuedCode {
  readonly code: VerificationCodeRow
  readonly mails: readonly OutboxMailRow[]
}

/** How often a code may be tried before it no longer counts. */
const mostAttempts = 3
const codes = 1_000_000

/** Codes that prove that the person of a request reads the mails to its address. */
export function verificationCodes(context: RequestContext) {
  const { storage, runtime, verification } = context
  const table = storage.table('verificationCode')
  const perAddress = failureLimit(runtime, {
    failures: 10,
    windowSeconds: 3_600,
    refusal: 'Too many codes were asked for at this address',
  })

  const hashOf = async (...parts: readonly string[]): Promise<string> => {
    const key = await context.serviceKeys('verification-code')
    return createHmac('sha256', key).update(parts.join(':')).digest('base64url')
  }

  return {
    /** Throws `invalid_input` for identities that one code could not verify. */
    check(identities: OpenedRequest['identities'], place: 'identity' | 'identities'): void {
      const issues = verification ? addressIssues(identities) : []
      const placed = issues.map(({ loc, ...issue }): Issue => {
        return { ...issue, loc: [place, ...(place === 'identity' ? loc.slice(1) : loc)] }
      })
      if (placed.length > 0) throw invalidInput('privacy request', placed)
    },

    /**
     * The next code of a request, which may not be stored yet; undefined where no verification is required. Rejects
     * with `rate_limited` when the address has had too many codes.
     */
    async issue(
      request: Pick<PrivacyRequestRow, 'id' | 'language'>,
      opened: OpenedRequest,
      before?: VerificationCodeRow,
    ): Promise<IssuedCode | undefined> {
      if (!verification) return undefined
      const { codeTtlSeconds } = verification
      // By hash, since addresses are not kept in the clear, not even in memory.
      perAddress.failed(await hashOf('address', String(opened.identities[0]?.['email']).toLowerCase()))
      const code = newCode(runtime)
      const now = runtime.now()
      const expiresAt = new Date(now.getTime() + codeTtlSeconds * 1_000).toISOString()
      const minutes = Math.max(1, Math.floor(codeTtlSeconds / 60))
      const content = { kind: 'identity_verification', requestId: request.id, code, minutes } as const
      return {
        code: {
          id: request.id,
          version: (before?.version ?? 0) + 1,
          hash: await hashOf('code', request.id, code),
          expiresAt,
          attempts: 0,
          issued: (before?.issued ?? 0) + 1,
          issuedAt: now.toISOString(),
        },
        mails: await context.mails.compose(request, [content], { opened, notAfter: expiresAt }),
      }
    },

    /**
     * Tries a code and gives the stored one when it is right. The attempt is counted before the comparison, so that
     * guesses at the same time count, too. Rejects with `verification_failed` otherwise.
     */
    async attempt(id: string, code: string): Promise<VerificationCodeRow> {
      const stored = await untilWritten('verification code', id, async () => {
        const row = await table.get(id)
        const isValid = row && row.attempts < mostAttempts && row.expiresAt > runtime.now().toISOString()
        if (!isValid) throw noCode()
        const taken = { ...row, attempts: row.attempts + 1, version: row.version + 1 }
        return (await table.replace(taken)) ? taken : undefined
      })
      const given = Buffer.from(await hashOf('code', id, code))
      if (timingSafeEqual(given, Buffer.from(stored.hash))) return stored
      throw wrongCode(mostAttempts - stored.attempts)
    },
  }
}

export type VerificationCodes = ReturnType<typeof verificationCodes>

/** Six digits, each of them as likely as any other. */
function newCode(runtime: Pick<Runtime, 'randomBytes'>): string {
  const fair = Math.floor(2 ** 32 / codes) * codes
  for (;;) {
    const number = Buffer.from(runtime.randomBytes(4)).readUInt32BE()
    if (number < fair) return String(number % codes).padStart(6, '0')
  }
}

/** Expired, used up, replaced or used: only the person's own mails tell which. */
export function noCode(): PrivacyError<'verification_failed'> {
  const message = 'There is no code that is still valid: ask for a new one.'
  return new PrivacyError('verification_failed', message, { reason: 'no_code' })
}

function wrongCode(left: number): PrivacyError<'verification_failed'> {
  const tries = left === 1 ? 'one more try' : `${left} more tries`
  const rest = left > 0 ? `you have ${tries}` : 'ask for a new one, since this one may not be tried any more'
  const message = `The code is not the one that was mailed: ${rest}.`
  return new PrivacyError('verification_failed', message, { reason: 'wrong_code' })
}
