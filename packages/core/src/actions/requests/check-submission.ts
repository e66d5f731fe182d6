import { isPrivacyError } from '../../errors.js'
import type { Acceptance } from '../../model/acceptance.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Policy } from '../../model/policy.js'
import type { Submission } from '../../model/privacy-request.js'
import { acceptanceIssues } from '../../rules/findings/acceptance-issues.js'
import type { OpenDecisions } from '../../rules/plan/open-decisions.js'
import type { Plan } from '../../rules/plan/plan.js'

/** The policy that a submission names. Throws `invalid_input` naming the place when there is none. */
export async function policyOf({ policyKey }: Submission, policy: (key: string) => Promise<Policy>): Promise<Policy> {
  try {
    return await policy(policyKey)
  } catch (error) {
    if (!isPrivacyError(error, 'not_found')) throw error
    const msg = `names no policy: ${error.message.replace(/^No policy/, 'none').slice(0, -1)}`
    throw invalidInput('privacy request', [{ loc: ['policyKey'], msg, type: 'not_found' }])
  }
}

/** Throws `invalid_input` for a combination that no package can have (docs/packages.md). */
export function refuseContrary({ service_key: key, rules }: Policy, submission: Submission): void {
  if (submission.residualSearch && !rules.some((rule) => rule.action_type === 'erasure')) {
    const msg = `must be left out, because policy '${key}' erases nothing`
    throw invalidInput('privacy request', [{ loc: ['residualSearch'], msg, type: 'invalid_value' }])
  }
  const given = (['encryptionKey', 'encryptionKey256'] as const).find((name) => submission[name] !== undefined)
  if (given !== undefined && rules.some((rule) => rule.format.includes('html'))) {
    const msg = `must be left out, because policy '${key}' asks for HTML, which is read without a key`
    throw invalidInput('privacy request', [{ loc: [given], msg, type: 'invalid_value' }])
  }
}

/** The bytes of the caller's key: the UTF-8 of 16 bytes, or the 32 bytes that base64 stands for. */
export function callersKey({ encryptionKey, encryptionKey256 }: Submission): Uint8Array | undefined {
  if (encryptionKey !== undefined) return Buffer.from(encryptionKey, 'utf8')
  return encryptionKey256 === undefined ? undefined : Buffer.from(encryptionKey256, 'base64')
}

/**
 * Throws `invalid_input` for unknown names that were accepted, listing the possible ones, so that a misspelled name is
 * noticed.
 */
export function refuseUnknown(what: string, accepted: Acceptance, plan: Plan, named?: Partial<OpenDecisions>): void {
  const issues = acceptanceIssues(accepted, plan, named)
  if (issues.length > 0) throw invalidInput(what, issues)
}
