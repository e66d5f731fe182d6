import { PrivacyError } from '@habeas/core'

/** Durations and sizes of a connection. The defaults suit a server in the same network. */
export interface MongodbConnectorOptions {
  /** Most sockets to each member, and so most commands at once. 4 by default. */
  readonly poolSize?: number
  /** How long a socket may stay open unused. 30 by default. */
  readonly idleTimeoutSeconds?: number
  /** How long finding the primary and logging in may take. 8 by default: the driver only says why it failed at the end. */
  readonly connectTimeoutSeconds?: number
  /** How long the server may work on one command, whether it reads or writes (`maxTimeMS`). 300 by default. */
  readonly statementTimeoutSeconds?: number
  /** How long a batch may wait for transactions of others that hold its documents. 100 by default: longer than they may live. */
  readonly lockTimeoutSeconds?: number
  /** How long the primary may wait for a majority of members. 30 by default. */
  readonly writeTimeoutSeconds?: number
  /** How many documents of each collection `describe` looks at. 200 by default. */
  readonly sampleSize?: number
  /** The collection for the fences of erasures, in the same database. `habeas_fences` by default. */
  readonly fenceCollection?: string
  /** Shown in the log and profiler of the server. `habeas` by default. */
  readonly applicationName?: string
}

/** All options, as a connection takes them. */
export type MongodbSettings = Required<MongodbConnectorOptions>

const defaults = {
  poolSize: 4,
  idleTimeoutSeconds: 30,
  connectTimeoutSeconds: 8,
  statementTimeoutSeconds: 300,
  lockTimeoutSeconds: 100,
  writeTimeoutSeconds: 30,
  sampleSize: 200,
  fenceCollection: 'habeas_fences',
  applicationName: 'habeas',
} satisfies MongodbSettings

const allowed: Readonly<Record<keyof MongodbSettings, readonly [range: string, isIn: (value: unknown) => boolean]>> = {
  poolSize: ['a whole number from 1 to 100', (value) => isWhole(value, 100)],
  sampleSize: ['a whole number from 1 to 10000', (value) => isWhole(value, 10_000)],
  idleTimeoutSeconds: ['a number from 0.01 to 2000000', isDuration],
  connectTimeoutSeconds: ['a number from 0.01 to 2000000', isDuration],
  statementTimeoutSeconds: ['a number from 0.01 to 2000000', isDuration],
  lockTimeoutSeconds: ['a number from 0.01 to 2000000', isDuration],
  writeTimeoutSeconds: ['a number from 0.01 to 2000000', isDuration],
  fenceCollection: [
    'the name of a collection',
    (value) => typeof value === 'string' && /^[A-Za-z_][\w-]{0,99}$/.test(value),
  ],
  applicationName: ['text of at most 100 characters', (value) => typeof value === 'string' && value.length <= 100],
}

/** The options with the defaults. Throws `misconfigured` when one is out of range. */
export function mongodbSettings(options: MongodbConnectorOptions): MongodbSettings {
  for (const [option, value] of Object.entries(options)) {
    const [range, isIn] = allowed[option as keyof MongodbSettings] ?? []
    const message = !range
      ? `mongodbConnector has no option ${option}: it has ${Object.keys(defaults).join(', ')}.`
      : `The option ${option} of mongodbConnector must be ${range}.`
    if (!isIn?.(value)) throw new PrivacyError('misconfigured', message, { option })
  }
  return { ...defaults, ...options }
}

function isWhole(value: unknown, most: number): boolean {
  return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
}

function isDuration(value: unknown): boolean {
  return typeof value === 'number' && value >= 0.01 && value <= 2_000_000
}
