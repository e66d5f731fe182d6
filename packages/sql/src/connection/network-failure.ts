import type { FailureReason } from './connection-failure.js'

/** What a code means, a sentence that says what to correct, and `transient` where a repetition may be enough. */
export type KnownFailure = readonly [reason: FailureReason, sentence: string, transient?: 'transient']

const faults = {
  notResolved: ['name_not_resolved'],
  notResolvedNow: ['name_not_resolved', 'transient'],
  refused: ['refused', 'transient'],
  unreachable: ['timeout', 'transient'],
  late: ['timeout', 'transient'],
  brokenOff: ['other', 'transient'],
  untrusted: ['tls'],
  notEncrypted: ['tls'],
} as const satisfies Readonly<Record<string, readonly [FailureReason, 'transient'?]>>

type NetworkFault = keyof typeof faults

/** What to correct after each fault of the network, in the words of one connector's secrets and options. */
export type NetworkSentences = Readonly<Record<NetworkFault, string>>

const byCode: Readonly<Record<string, NetworkFault>> = {
  ENOTFOUND: 'notResolved',
  EAI_AGAIN: 'notResolvedNow',
  ECONNREFUSED: 'refused',
  EHOSTUNREACH: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETUNREACH: 'unreachable',
  ENETDOWN: 'unreachable',
  ETIMEDOUT: 'late',
  ESOCKETTIMEDOUT: 'late',
  ECONNRESET: 'brokenOff',
  ECONNABORTED: 'brokenOff',
  EPIPE: 'brokenOff',
  ERR_STREAM_PREMATURE_CLOSE: 'brokenOff',
}

/** The failure that a code of the system or of TLS means. Undefined for any other code. */
export function networkFailure(code: string, sentences: NetworkSentences): KnownFailure | undefined {
  const fault = byCode[code] ?? tlsFault(code)
  if (!fault) return undefined
  const [reason, ...transient] = faults[fault]
  return [reason, sentences[fault], ...transient]
}

function tlsFault(code: string): NetworkFault | undefined {
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER/.test(code)) return 'untrusted'
  return /^(?:ERR_SSL|ERR_TLS|EPROTO|ERR_OSSL)/.test(code) ? 'notEncrypted' : undefined
}
