import { PrivacyError } from '@habeas/core'
import * as z from 'zod'

export interface TransitSecretsOptions {
  /** URL of the server, such as `https://vault.internal:8200`. */
  readonly address: string
  /** A token, or a function that returns one. It is asked before each call, so it may read a file that an agent renews. */
  readonly token: string | (() => Promise<string>)
  /** Name of the key. The key must exist, and be of a type that authenticates, such as `aes256-gcm96`. */
  readonly key: string
  /** Path of the transit engine. Default: `transit`. */
  readonly mount?: string
  /** Namespace of the engine. Default: the one of the token. */
  readonly namespace?: string
  /** How long one call may take. Default: 10. */
  readonly timeoutSeconds?: number
}

/** The options with their defaults. */
export type TransitSettings = Required<Omit<TransitSecretsOptions, 'namespace'>> &
  Pick<TransitSecretsOptions, 'namespace'>

const addressMessage = 'must be a URL such as https://vault.internal:8200, without credentials, query and fragment'
const pathMessage = 'must be names of letters, digits, "_", "-" and ".", separated by "/"'
const path = z.string(pathMessage).regex(/^[A-Za-z0-9_-]+(?:[/.][A-Za-z0-9_-]+)*\/?$/, pathMessage)
const tokenMessage = 'must be a token, or a function that returns one'
const keyMessage = 'must be the name of a key, of letters, digits, "_", "-" and "."'

function isPlainAddress(address: string): boolean {
  const { username, password, search, hash } = new URL(address)
  return [username, password, search, hash].every((part) => part === '')
}

const optionsSchema = z.strictObject({
  address: z
    .url({ protocol: /^https?$/, error: addressMessage, abort: true })
    .refine(isPlainAddress, addressMessage)
    .transform((address) => address.replace(/\/+$/, '')),
  token: z
    .custom<string | (() => Promise<string>)>((given) => typeof given === 'function' || isToken(given), tokenMessage)
    .transform((token) => (typeof token === 'string' ? token.trim() : token)),
  key: z.string(keyMessage).regex(/^\w(?:[\w.-]*\w)?$/, keyMessage),
  mount: path.transform((mount) => mount.replace(/\/$/, '')).default('transit'),
  namespace: path.exactOptional(),
  timeoutSeconds: z.number('must be a number').min(0.1).max(600).default(10),
})

/** Whether a header can hold it. Files end with a line break, which does not count. */
export function isToken(given: unknown): given is string {
  return typeof given === 'string' && /^[\x21-\x7e]+$/.test(given.trim())
}

/** Throws `misconfigured` with the option and its allowed values, but never with the given value. */
export function readOptions(options: TransitSecretsOptions): TransitSettings {
  const parsed = optionsSchema.safeParse(options, { reportInput: false })
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0] as z.core.$ZodIssue
  const names = issue.code === 'unrecognized_keys' ? issue.keys : []
  const option = [...issue.path, ...names].join('.') || 'options'
  throw new PrivacyError('misconfigured', `Option '${option}' of transitSecrets: ${issue.message}.`, { option })
}
