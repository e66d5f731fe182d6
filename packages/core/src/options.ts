import * as z from 'zod'
import { PrivacyError } from './errors.js'
import type { Blobs } from './ports/blobs.js'
import type { Connector } from './ports/connector.js'
import type { Queue } from './ports/queue.js'
import type { Runtime } from './ports/runtime.js'
import type { Secrets } from './ports/secrets.js'
import type { Storage } from './ports/storage.js'

/** A part of the world the host hands in: an object that can do what the port says. */
const port = <Port>(...methods: (keyof Port & string)[]) =>
  z.custom<Port>(
    (value) =>
      typeof value === 'object' &&
      value !== null &&
      methods.every((name) => typeof (value as Record<string, unknown>)[name] === 'function'),
    `must be an object with ${methods.join(', ')}`,
  )

const settings = z.strictObject({
  /** 32 bytes as base64, to seal secrets and personal data with. Or hand in `secrets`. */
  encryptionKey: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes as base64')
    .exactOptional(),
  secrets: port<Secrets>('seal', 'open').exactOptional(),
  /** Default: memory, gone with the process. */
  storage: port<Storage>('table', 'transaction', 'close').exactOptional(),
  /** Default: files in a private temporary folder, encrypted, gone with the process. */
  blobs: port<Blobs>('write', 'read', 'size', 'delete').exactOptional(),
  /** Default: this process runs the requests it takes. */
  queue: port<Queue>('send', 'listen').exactOptional(),
  runtime: port<Runtime>('now', 'newId', 'randomBytes').exactOptional(),
  connectors: z.array(port<Connector>('connect', 'parseSecrets')).default([]),
  /** Fields are taken for an identity that no dataset declares, by name or category (§3). */
  inferIdentities: z.boolean().default(true),
  /** `strict` refuses unknown taxonomy keys on write; `open` answers them with a finding. */
  taxonomy: z.enum(['open', 'strict']).default('open'),
  /** How long a live catalogue is remembered. */
  catalogueSeconds: z.number().min(0).default(300),
  connectionTestSeconds: z.number().min(0.1).max(60).default(10),
  execution: z
    .strictObject({
      /** Requests that run at once in this process. */
      concurrency: z.int().min(1).max(100).default(2),
      /** How often references that lead back to their own collections are followed. */
      maxRounds: z.int().min(1).default(1_000),
      /** How often requests are looked for whose hint was lost or whose run was abandoned. */
      sweepSeconds: z.number().min(0.01).default(10),
      /** False: requests wait for `requests.run()`. */
      immediate: z.boolean().default(true),
    })
    .prefault({}),
})

export type PrivacyServiceOptions = z.input<typeof settings>
export type PrivacyServiceSettings = z.output<typeof settings>

const makeKey = `node -e "console.log(require('node:crypto').randomBytes(32).toString('base64'))"`

/** Checks options at construction: a wrong one is `misconfigured`, naming the option and what is allowed (§8). */
export function readOptions(options: PrivacyServiceOptions): PrivacyServiceSettings {
  const parsed = settings.safeParse(options, { reportInput: false })
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue
    const names = issue.code === 'unrecognized_keys' ? issue.keys : []
    const option = [...issue.path, ...names].join('.') || 'options'
    throw new PrivacyError('misconfigured', `Option '${option}' of createPrivacyService: ${issue.message}.`, { option })
  }
  if (parsed.data.secrets === undefined && parsed.data.encryptionKey === undefined) {
    const message = `Option 'encryptionKey' of createPrivacyService is missing: make one with ${makeKey} and keep it outside the code.`
    throw new PrivacyError('misconfigured', message, { option: 'encryptionKey' })
  }
  return parsed.data
}
