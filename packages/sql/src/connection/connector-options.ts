import { PrivacyError } from '@habeas/core'

/** Durations and sizes of a connection; the defaults suit a server in the same network. */
export interface SqlConnectorOptions {
  /** Most sockets per connection, and so most statements at once. 4 by default. */
  readonly poolSize?: number
  /** How long a socket may stay open unused. 30 by default. */
  readonly idleTimeoutSeconds?: number
  /** How long connecting and logging in may take. 10 by default. */
  readonly connectTimeoutSeconds?: number
  /** How long the server may send nothing. 300 by default. A read that goes on sending may take as long as it needs. */
  readonly statementTimeoutSeconds?: number
  /** How long a write waits for locks of other transactions. 30 by default. */
  readonly lockTimeoutSeconds?: number
  /** How long a transaction of a worker that stopped answering may hold its locks. 60 by default. */
  readonly abandonedTransactionSeconds?: number
  /** Shown among the sessions of the server. `habeas` by default. */
  readonly applicationName?: string
}

const defaults = {
  poolSize: 4,
  idleTimeoutSeconds: 30,
  connectTimeoutSeconds: 10,
  statementTimeoutSeconds: 300,
  lockTimeoutSeconds: 30,
  abandonedTransactionSeconds: 60,
  applicationName: 'habeas',
} satisfies Required<SqlConnectorOptions>

/** Returns all options. Throws `misconfigured`, in the name of `connector`, when one is unknown or out of range. */
export function checkedOptions(connector: string, options: SqlConnectorOptions): Required<SqlConnectorOptions> {
  const known = Object.keys(defaults).join(', ')
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw misconfigured('options', `The options of ${connector} must be an object: it has ${known}.`)
  for (const option of Object.keys(options)) {
    if (!(option in defaults)) throw misconfigured(option, `${connector} has no option ${option}: it has ${known}.`)
  }
  const merged = { ...defaults, ...options }
  for (const [option, value] of Object.entries(merged)) {
    const range = rangeOf(option, value)
    if (range) throw misconfigured(option, `The option ${option} of ${connector} must be ${range}.`)
  }
  return merged
}

function misconfigured(option: string, message: string): PrivacyError {
  return new PrivacyError('misconfigured', message, { option })
}

/** What an option must be, where it is not. */
function rangeOf(option: string, value: unknown): string | undefined {
  if (option === 'applicationName') return typeof value === 'string' ? undefined : 'text'
  if (option === 'poolSize') {
    const fits = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 100
    return fits ? undefined : 'a whole number from 1 to 100'
  }
  const fits = typeof value === 'number' && value >= 0.01 && value <= 2_000_000
  return fits ? undefined : 'a number from 0.01 to 2000000'
}
