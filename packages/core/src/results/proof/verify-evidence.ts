import { canonicalHash } from '../../crypto/canonical-hash.js'
import { isSigned } from '../../crypto/sign-evidence.js'
import { isPrivacyError } from '../../errors.js'
import type { AuditEntry } from '../../model/audit-entry.js'
import { type Evidence, evidenceSchema } from '../../model/evidence.js'
import { parseInput } from '../../model/parse-input.js'
import { auditAction, requestEvents } from '../../rules/request/request-lifecycle.js'
import { chainProblems } from './chain-problems.js'
import { parseStrictJson } from './parse-strict-json.js'
import { planHash } from './plan-hash.js'

export interface EvidenceOptions {
  /** The known public key of the service, base64url. Evidence signed by another key is refused. */
  readonly key?: string | undefined
}

/** The result of a check. */
export interface EvidenceVerdict {
  /** True when there are no problems. */
  readonly ok: boolean
  /** One sentence for each thing that is wrong. */
  readonly problems: readonly string[]
  /** Gaps in the evidence that are not wrong. */
  readonly notes: readonly string[]
  /** The bundle, when it could be read. */
  readonly evidence?: Evidence
}

/**
 * Checks a bundle of `exportEvidence` with nothing but the bundle: the audit trail is a whole chain, its end is the one
 * that was signed, and plan, policy, results and receipt are those that the trail names. Never throws, whatever the
 * input. JSON text has to mean the same to every reader: no member stands in it twice.
 */
export function verifyEvidence(input: unknown, { key }: EvidenceOptions = {}): EvidenceVerdict {
  try {
    const evidence = read(typeof input === 'string' ? parseStrictJson(input) : input)
    const facts = [signatureOf(evidence, key), chainOf(evidence), ...partsOf(evidence)]
    const problems = facts.flatMap((each) => each.problems ?? [])
    const notes = facts.flatMap((each) => each.notes ?? [])
    return { ok: problems.length === 0, problems, notes, evidence }
  } catch (error) {
    return { ok: false, problems: [`This is not evidence of a privacy request. ${whyNot(error)}`], notes: [] }
  }
}

function whyNot(error: unknown): string {
  if (isPrivacyError(error, 'invalid_input')) return error.message
  return error instanceof SyntaxError ? 'It is not JSON.' : 'It cannot be read.'
}

interface Told {
  readonly problems?: readonly string[]
  readonly notes?: readonly string[]
}

function read(input: unknown): Evidence {
  parseInput('evidence', evidenceSchema, input, { readOnly: [] })
  // Not the result of the schema: hashes and the signature cover every member.
  return input as Evidence
}

function signatureOf(evidence: Evidence, key: string | undefined): Told {
  const { publicKey } = evidence.signature
  const problems = isSigned(evidence) ? [] : ['The signature does not fit: something was changed after it was signed.']
  if (key === undefined) return { problems, notes: ['No key was given, so whose signature it is was not checked.'] }
  return key === publicKey ? { problems } : { problems: [...problems, `It was signed by another key, ${publicKey}.`] }
}

const statusActions = new Set(['request_submitted', ...requestEvents.map(auditAction)])

function chainOf({ audit, head, request }: Evidence): Told {
  const problems = chainProblems(audit, `privacy-request:${request.id}`)
  const last = audit.at(-1) as AuditEntry
  if (head.hash !== last.hash || head.sequence !== last.sequence) {
    problems.push('The end of the audit trail is not the end that was signed: entries are missing.')
  }
  const status = audit.filter(({ action }) => statusActions.has(action)).at(-1)?.detail['to']
  if (status !== request.status) {
    problems.push(`The request is said to be '${request.status}', and the audit trail ends with '${status}'.`)
  }
  return { problems }
}

/** Compares the hashes in the audit trail with the full content in the bundle. */
function partsOf({ audit, plan, policy, receipt, request }: Evidence): Told[] {
  const hasEnded = request.status === 'complete' || request.status === 'error'
  const part = (name: string, member: string, hash: string | undefined): Told => {
    const facts = audit.filter(({ detail }) => detail[member] !== undefined).at(-1)?.detail[member]
    if (facts === hash) return {}
    if (!hasEnded) return { notes: [`The ${name} is not in the audit trail yet: the request has not ended.`] }
    if (facts === undefined) return { problems: [`The audit trail does not mention the ${name}.`] }
    const problem = hash === undefined ? 'is missing' : 'is not the one that the audit trail names'
    return { problems: [`The ${name} ${problem}.`] }
  }
  const isOfAnother = receipt !== null && receipt.requestId !== request.id
  return [
    part('plan', 'planHash', plan ? planHash(plan) : undefined),
    part('policy', 'policyHash', policy.hash ?? undefined),
    part('list of results', 'resultsHash', request.results && canonicalHash(request.results)),
    part('receipt', 'receiptHash', receipt ? canonicalHash(receipt) : undefined),
    ...(isOfAnother ? [{ problems: ['The receipt is of another request.'] }] : []),
  ]
}
