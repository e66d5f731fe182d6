import * as z from 'zod'
import { PrivacyError } from './errors.js'
import { isPlainObject } from './model/clean-input.js'
import { languageSchema, mailTextsSchema } from './model/mail-texts.js'
import { nearestHint } from './model/nearest-key.js'
import { packageTextsSchema } from './model/package-texts.js'
import { describeIssue } from './model/parse-input.js'
import { portOption } from './model/port-option.js'
import { security } from './model/security-options.js'
import { daysOption, minutesOption } from './model/time-options.js'
import { timeZoneSchema } from './model/time-zone-schema.js'
import type { Blobs } from './ports/blobs.js'
import type { Connector } from './ports/connector.js'
import type { Logger } from './ports/logger.js'
import type { Mailer } from './ports/mailer.js'
import type { Queue } from './ports/queue.js'
import type { Runtime } from './ports/runtime.js'
import type { Secrets } from './ports/secrets.js'
import type { Storage } from './ports/storage.js'
import type { Telemetry } from './ports/telemetry.js'
import type { WebhookSender } from './ports/webhooks.js'

const flag = (whenOmitted: boolean) => z.boolean().default(whenOmitted)

const oauth = z
  .strictObject({
    /** A client may grant only its own scopes, whichever client created it. */
    grantOwnScopesOnly: flag(false),
  })
  .prefault({})

const execution = z
  .strictObject({
    /** False: this process takes requests and runs none, unless it calls `work`. Others with the same storage do. */
    inProcess: flag(true),
    /** Requests that run at once in this process. */
    concurrency: z.int().min(1).max(100).default(2),
    /** How many requests of this process have calls at one connection at once. Default: as many as run. */
    maxConcurrentPerConnection: z.int().min(1).max(100).exactOptional(),
    /** How long a connection rests after each batch of rows that was read or written. */
    batchPauseMs: z.number().min(0).max(60_000).default(0),
    /** How long a connection may give no answer, such as the next rows. Then its call fails in a way that may pass. */
    answerMinutes: z.number().min(0.001).max(1_440).default(60),
    /**
     * How long a request is tried again that fails because of something that may pass by itself, such as a database that
     * restarts. Then it ends in `error`. 0: the first failure ends it.
     */
    retryMinutes: z.number().min(0).max(1_440).default(5),
    /** The wait before the second attempt. Each further wait is twice as long, up to a minute. */
    retryDelaySeconds: z.number().min(0.01).max(60).default(1),
    /** How long a process that runs a request may be silent before another one takes the request over. */
    leaseSeconds: z.number().min(1).max(3_600).default(60),
    /** How long `close` waits for running requests to be handed back, so that another process goes on with them. */
    closeSeconds: z.number().min(0).max(600).default(10),
    /** How often references that lead back to their own collections are followed. */
    maxRounds: z.int().min(1).default(1_000),
    /** How often the service looks for requests whose hint was lost or whose run was abandoned. */
    sweepSeconds: z.number().min(0.01).max(86_400).default(10),
    /** False: requests wait for `requests.run()`. */
    immediate: flag(true),
    /** How long a request halted by a policy webhook waits to be resumed; then it fails. */
    privacyRequestDelayTimeoutMinutes: minutesOption.default(3_600),
    /** True: a request waits until the person enters the code that was mailed to them. Needs a `mailer`. */
    subjectIdentityVerificationRequired: flag(false),
    /** True: a request waits until a person approves or denies it. */
    requireManualRequestApproval: flag(false),
  })
  .prefault({})

/** How policy webhooks are called (docs/policy-webhooks.md). */
const webhooks = z
  .strictObject({
    /** True: addresses inside private networks may be called, plain http included. */
    allowPrivateAddresses: flag(false),
    /** From the look-up of a name to the end of the answer. */
    timeoutSeconds: z.number().min(0.1).max(300).default(10),
    /** Further attempts when a call gets no answer, or a status from 500 on. */
    retries: z.int().min(0).max(10).default(3),
    /** Pause before the first of them; each further pause is twice as long. */
    retryDelaySeconds: z.number().min(0).max(60).default(1),
  })
  .prefault({})

/** How long the personal data of requests is kept. Packages are kept as long as a link to them is valid. */
const retention = z
  .strictObject({
    /** Of requests whose address is never verified. */
    unverifiedDays: daysOption.default(7),
    /** Of requests that failed, from their last run. */
    errorDays: daysOption.default(30),
  })
  .prefault({})

/** Which mails are sent, where there is a `mailer`. */
const notifications = z
  .strictObject({
    sendRequestReceiptNotification: flag(true),
    sendRequestCompletionNotification: flag(true),
    sendRequestReviewNotification: flag(true),
    sendRequestExtensionNotification: flag(true),
  })
  .prefault({})

const sections = { security, oauth, execution, notifications, retention, webhooks }

const settings = z.strictObject({
  /** 32 bytes as base64, which seal secrets and personal data. Or pass your own `secrets`. */
  encryptionKey: z
    .string()
    .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes as base64: `openssl rand -base64 32` prints a new key')
    .exactOptional(),
  secrets: portOption<Secrets>('seal', 'open').exactOptional(),
  /** Default: memory, gone with the process. */
  storage: portOption<Storage>('table', 'transaction', 'close').exactOptional(),
  /**
   * Default: files in a private temporary folder, encrypted, gone when the service is closed. Required with a `storage` that
   * outlives the process.
   */
  blobs: portOption<Blobs>('write', 'read', 'size', 'delete').exactOptional(),
  /** Default: this process runs the requests it takes. */
  queue: portOption<Queue>('send', 'listen').exactOptional(),
  /** Default: mails are not sent, and requests say so. */
  mailer: portOption<Mailer>('send').exactOptional(),
  /** The host's own mails, by language and kind; they replace the built-in English ones. */
  mailTexts: mailTextsSchema.default({}),
  /** The host's own texts of HTML packages, by language and key; they replace the built-in English ones. */
  packageTexts: packageTextsSchema.default({}),
  /** The language of mails and packages for people whose request names none, and of texts that their language lacks. */
  mailLanguage: languageSchema.default('en'),
  /** The public URL of the HTTP interface, such as `https://example.com/privacy`: for links in mails. */
  publicUrl: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
    .refine((url) => !/[?#]/.test(url), 'must not have a query or a fragment')
    .exactOptional(),
  /** IANA name of the time zone whose calendar counts for deadlines. */
  timeZone: timeZoneSchema.default('UTC'),
  /** Default: calls over HTTP, as the section `webhooks` says. */
  webhookSender: portOption<WebhookSender>('refusal', 'send').exactOptional(),
  runtime: portOption<Runtime>('now', 'newId', 'randomBytes').exactOptional(),
  /** Takes a line for each event. Default: warnings and errors go to the console (docs/production.md). */
  logger: z
    .union([z.literal(false), portOption<Logger>('debug', 'info', 'warn', 'error')], {
      error: 'must be false, or a logger with debug, info, warn and error, such as console or pino()',
    })
    .exactOptional(),
  /** Takes spans and metrics: `openTelemetry(api)`. Default: there are none (docs/production.md). */
  telemetry: portOption<Telemetry>('span', 'record', 'observe').exactOptional(),
  connectors: z
    .array(portOption<Connector>('connect', 'parseSecrets'))
    .superRefine((connectors, context) => {
      const types = connectors.map((connector) => connector?.type)
      for (const [at, type] of types.entries()) {
        if (type === undefined || types.indexOf(type) === at) continue
        const message = `is the second connector of the type ${type}: pass one for each type`
        context.addIssue({ code: 'custom', path: [at], message })
      }
    })
    .default([]),
  /**
   * Takes fields by name or category for an identity that no dataset declares (see docs/semantics.md, 'Identities').
   */
  inferIdentities: z.boolean().default(true),
  /**
   * What an erasure does about live columns and tables without a decision. `report`: its record and receipt
   * name them. `strict`: it does not begin.
   */
  coverage: z.enum(['report', 'strict'], 'must be report or strict').default('report'),
  /**
   * `inferred`: where exactly one reference can say whose rows are, a plan follows it, and says so. `declared`: only
   * the description counts.
   */
  ownership: z.enum(['inferred', 'declared'], 'must be inferred or declared').default('inferred'),
  /** `strict` refuses unknown taxonomy keys on write; `open` answers them with a finding. */
  taxonomy: z.enum(['open', 'strict']).default('open'),
  /**
   * Whether each write of a system, a policy or a dataset is evaluated. `findings`: the answer names violations that the
   * document is part of. `strict`: such a write is refused.
   */
  evaluateWrites: z.enum(['off', 'findings', 'strict'], 'must be off, findings or strict').default('off'),
  /** How long a live catalogue is remembered. */
  catalogueSeconds: z.number().min(0).default(300),
  connectionTestSeconds: z.number().min(0.1).max(60).default(10),
  ...sections,
})

/** An optional member may also be undefined: a variable of the environment that is not set is. */
type Omittable<Options> = {
  [Name in keyof Options]:
    | Options[Name]
    | (Pick<Options, Name> extends Required<Pick<Options, Name>> ? never : undefined)
}
type Section = keyof typeof sections
type Input = z.input<typeof settings>

/** The configuration of the service. */
export type PrivacyServiceOptions = Omittable<Omit<Input, Section>> & {
  [Name in Section]?: Omittable<NonNullable<Input[Name]>> | undefined
}
export type PrivacyServiceSettings = z.output<typeof settings>

const missingKey = `Option 'encryptionKey' of createPrivacyService is missing: make a key with \`openssl rand -base64 32\`, or with \`node -e "console.log(crypto.randomBytes(32).toString('base64'))"\`, keep it in the environment variable HABEAS_ENCRYPTION_KEY, and pass process.env.HABEAS_ENCRYPTION_KEY.`

export interface OptionProblem {
  /** Sections and name, such as `execution.concurrency`. */
  readonly option: string
  /** What is wrong with it, never the value. */
  readonly message: string
}

/** The first wrong option. Required options may still be missing. */
export function findOptionProblem(options: PrivacyServiceOptions): OptionProblem | undefined {
  const issue = settings.safeParse(given(options), { error: describeIssue, reportInput: false }).error?.issues[0]
  if (!issue) return undefined
  if (issue.code === 'unrecognized_keys') {
    const name = issue.keys[0] as string
    return { option: [...issue.path, name].join('.'), message: `is not known${hintFor(name, issue.path)}` }
  }
  return { option: issue.path.join('.') || 'options', message: issue.message }
}

/** Without undefined members: those count as left out, like a variable of the environment that is not set. */
function given(options: unknown): unknown {
  if (!isPlainObject(options)) return options
  const said = Object.entries(options).filter(([, value]) => value !== undefined)
  return Object.fromEntries(said.map(([name, value]) => [name, name in sections ? given(value) : value]))
}

/** Names the option that was probably meant, where one is spelled similarly. */
function hintFor(name: string, path: readonly PropertyKey[]): string {
  const section = Object.entries(sections).find(([each]) => each === path[0])?.[1]
  const known = Object.keys(section ? section.unwrap().shape : settings.shape)
  return nearestHint(name, known, path)
}

/** Checks options at construction: a wrong one is `misconfigured`, naming the option and the allowed values. */
export function readOptions(options: PrivacyServiceOptions): PrivacyServiceSettings {
  const problem = findOptionProblem(options)
  const lacksKey =
    problem?.option === 'encryptionKey' && options.encryptionKey === undefined && options.secrets === undefined
  if (problem && !lacksKey) {
    const { option, message } = problem
    throw new PrivacyError('misconfigured', `Option '${option}' of createPrivacyService ${message}.`, { option })
  }
  const read = lacksKey ? undefined : settings.parse(given(options))
  if (read === undefined || (read.secrets === undefined && read.encryptionKey === undefined)) {
    throw new PrivacyError('misconfigured', missingKey, { option: 'encryptionKey' })
  }
  if (read.execution.subjectIdentityVerificationRequired && read.mailer === undefined) {
    const option = 'execution.subjectIdentityVerificationRequired'
    const message = `Option '${option}' of createPrivacyService needs a mailer to send codes with: pass one as 'mailer', or set it to false.`
    throw new PrivacyError('misconfigured', message, { option })
  }
  // An absent storage is in memory, and absent blobs lie in a temporary folder.
  if (read.storage !== undefined && read.storage.outlivesProcess !== false) {
    if (read.blobs === undefined || read.blobs.outlivesProcess === false) throw blobsGone(read.blobs)
  }
  return read
}

function blobsGone(blobs: Blobs | undefined): PrivacyError<'misconfigured'> {
  const found = blobs === undefined ? 'is missing' : 'ends with the process'
  const message = `Option 'blobs' of createPrivacyService ${found}, while the storage outlives it: other processes would have no packages, and an erasure that a process left could not go on. Pass fileBlobs({ directory }), s3Blobs of @habeas/blobs-s3, or postgresBlobs of @habeas/adapter-postgres.`
  return new PrivacyError('misconfigured', message, { option: 'blobs' })
}
