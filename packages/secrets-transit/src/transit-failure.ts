import { PrivacyError } from '@habeas/core'
import type { TransitSettings } from './transit-options.js'

export type TransitOperation = 'encrypt' | 'decrypt' | 'keys'

/** Words for programs, in `details.reason` of an `unavailable`. */
export type TransitFailureReason =
  | 'sealed'
  | 'busy'
  | 'redirected'
  | 'name_not_resolved'
  | 'refused'
  | 'timeout'
  | 'tls'
  | 'token'
  | 'other'

const sentences: Readonly<Record<TransitFailureReason, string>> = {
  sealed: 'The key server is sealed: unseal it.',
  busy: 'The key server is busy: try again later.',
  redirected: 'The key server sends its callers elsewhere: give the address of its active node, or of a load balancer.',
  name_not_resolved: 'The host name of the key server could not be resolved: check address.',
  refused: 'Nothing listens at the address of the key server: check address, and that it is running.',
  timeout: 'The key server did not answer in time: check address and the firewalls between, or try again later.',
  tls: 'No encrypted connection to the key server could be agreed on: check address and its certificate.',
  token: 'The function that gives the token of the key server failed: its cause says why.',
  other: 'The key server failed, or something else answers at its address: check address, or try again later.',
}

const byCode: Readonly<Record<string, TransitFailureReason>> = {
  ENOTFOUND: 'name_not_resolved',
  EAI_AGAIN: 'name_not_resolved',
  ECONNREFUSED: 'refused',
  ETIMEDOUT: 'timeout',
  TimeoutError: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
}

/** What a server said. Its own words are read to tell cases apart, and never repeated. */
export interface TransitRefusal {
  readonly operation: TransitOperation
  readonly status: number
  readonly words: string
  readonly retryAfterSeconds?: number
}

/** A failure that may be over the next time. */
export function unavailable(
  reason: TransitFailureReason,
  { cause, retryAfterSeconds }: { readonly cause?: unknown; readonly retryAfterSeconds?: number | undefined } = {},
): PrivacyError<'unavailable'> {
  const details = { reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) }
  return new PrivacyError('unavailable', sentences[reason], details, { cause })
}

/** The failure of a call that got no answer. Its cause has codes alone, since a message may hold a header. */
export function withoutAnswer(operation: TransitOperation, error: unknown): PrivacyError<'unavailable'> {
  const { name, cause } = Object(error) as { readonly name?: unknown; readonly cause?: unknown }
  const codes = [name, (Object(cause) as { readonly code?: unknown }).code].map(String)
  const known = codes.map((code) => byCode[code]).find((reason) => reason !== undefined)
  const isTls = codes.some((code) => /CERT|SELF_SIGNED|UNABLE_TO|^ERR_(?:SSL|TLS)|^EPROTO$/.test(code))
  const harmless = codes.filter((code) => code !== 'undefined' && /^\w{1,100}$/.test(code))
  return unavailable(known ?? (isTls ? 'tls' : 'other'), {
    cause: new Error(['transit', operation, ...harmless].join(' ')),
  })
}

function misconfigured(option: keyof TransitSettings, message: string): PrivacyError<'misconfigured'> {
  return new PrivacyError('misconfigured', message, { option })
}

/** The command for OpenBao; Vault has the same. */
const howToMake = ({ mount, key }: TransitSettings) =>
  `\`bao write -f ${mount}/keys/${key} type=aes256-gcm96\` (or \`vault write …\`)`

function keyMissing(settings: TransitSettings): PrivacyError<'misconfigured'> {
  return misconfigured('key', `The key server has no key '${settings.key}': make it with ${howToMake(settings)}.`)
}

export function keyUnfit(settings: TransitSettings, why: string): PrivacyError<'misconfigured'> {
  const message = `The key '${settings.key}' of the key server ${why}: name a key that was made with ${howToMake(settings)}.`
  return misconfigured('key', message)
}

/** The lines of a policy that are needed, and enough. */
export function policyLines({ mount, key }: Pick<TransitSettings, 'mount' | 'key'>): string {
  const line = ([operation, capability]: readonly [TransitOperation, string]) =>
    `path "${mount}/${operation}/${key}" { capabilities = ["${capability}"] }`
  const needed = [['encrypt', 'update'] as const, ['decrypt', 'update'] as const, ['keys', 'read'] as const]
  return needed.map(line).join(' ')
}

/** A value that cannot be opened. Nothing is said of why, and nothing of the value. */
export function notOpened(): PrivacyError<'internal'> {
  const message = `A sealed value cannot be opened: it was changed, belongs to another context, or its version of the key can no longer decrypt`
  return new PrivacyError('internal', message)
}

/** What the answer of a server that did not do as it was asked means. */
export function refusal(refused: TransitRefusal, settings: TransitSettings): PrivacyError {
  const { operation, status, words, retryAfterSeconds } = refused
  const cause = new Error(`transit ${operation} ${status}`)
  if (status === 403) {
    const message = `The key server does not accept the token, or the token may not do this: renew it, and give it a policy with ${policyLines(settings)}.`
    return misconfigured('token', message)
  }
  if (/namespace not found/i.test(words)) {
    return misconfigured('namespace', `The key server has no namespace '${settings.namespace}': correct namespace.`)
  }
  if (/no handler for route|unsupported path/i.test(words) || status === 405) {
    const { mount } = settings
    const message = `The key server has no transit engine at '${mount}': make it with \`bao secrets enable -path=${mount} transit\` (or \`vault secrets …\`), or correct mount.`
    return misconfigured('mount', message)
  }
  if (status === 404 || /encryption key not found/i.test(words)) return keyMissing(settings)
  if (status === 400 && operation === 'decrypt') return notOpened()
  if (status === 429) return unavailable('busy', { cause, retryAfterSeconds })
  if (status === 503 && /sealed/i.test(words)) return unavailable('sealed', { cause, retryAfterSeconds })
  if (status >= 300 && status < 400) return unavailable('redirected', { cause })
  return unavailable('other', { cause, retryAfterSeconds })
}
