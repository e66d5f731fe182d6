import { PrivacyError } from '../errors.js'
import { invalidInput } from '../model/parse-input.js'
import type { Policy } from '../model/policy.js'
import type { Submission } from '../model/privacy-request.js'

/** The policy a submission names; `invalid_input` naming the place when there is none. */
export async function policyOf({ policyKey }: Submission, policy: (key: string) => Promise<Policy>): Promise<Policy> {
  try {
    return await policy(policyKey)
  } catch (error) {
    if (PrivacyError.from(error).code !== 'not_found') throw error
    const msg = `names no policy: there is no '${policyKey}'`
    throw invalidInput('privacy request', [{ loc: ['policyKey'], msg, type: 'not_found' }])
  }
}

/** Throws `unsupported` for what this version cannot answer. */
export function refuseUnsupported({ service_key: key, rules }: Policy, submission: Submission): void {
  if (rules.some((rule) => rule.action_type === 'erasure')) {
    const message = `Policy '${key}' has erasure rules, and this version answers access requests only.`
    throw new PrivacyError('unsupported', message, { feature: 'erasure' })
  }
  if (submission.encryptionKey !== undefined || submission.encryptionKey256 !== undefined) {
    const message = 'This version does not encrypt packages with a key of the caller: leave the key out.'
    throw new PrivacyError('unsupported', message, { feature: 'encryption' })
  }
  const format = rules.flatMap((rule) => rule.format).find((each) => each !== 'json')
  if (format !== undefined) {
    const message = `Policy '${key}' asks for ${format}, and this version writes JSON only.`
    throw new PrivacyError('unsupported', message, { feature: `format ${format}` })
  }
}
