import { isPrivacyError, PrivacyError } from '@habeas/core'
import {
  cancelledFailure,
  failure,
  type KnownFailure,
  type NetworkSentences,
  networkFailure,
  refusedFailure,
} from '@habeas/sql'

/** What the client rejects with: the answer's status, and the service's words for programs. */
interface ServiceError {
  readonly code?: unknown
  readonly message?: unknown
  readonly errors?: readonly { readonly reason?: unknown; readonly message?: unknown }[]
}

const serviceError: KnownFailure = ['other', 'BigQuery had an error of its own: try again.', 'transient']

const byReason: Readonly<Record<string, KnownFailure>> = {
  quotaExceeded: [
    'other',
    'A quota of the project is used up: wait until it is renewed, or have it raised.',
    'transient',
  ],
  rateLimitExceeded: ['other', 'BigQuery refuses more requests just now: try again in a moment.', 'transient'],
  userRateLimitExceeded: ['other', 'BigQuery refuses more requests just now: try again in a moment.', 'transient'],
  jobRateLimitExceeded: ['other', 'BigQuery refuses more jobs just now: try again in a moment.', 'transient'],
  backendError: serviceError,
  jobBackendError: serviceError,
  internalError: serviceError,
  jobInternalError: serviceError,
  resourceInUse: ['other', 'What the job needs is in use: try again.', 'transient'],
  tableUnavailable: ['other', 'A table cannot be asked just now: try again.', 'transient'],
  resourcesExceeded: [
    'other',
    'The job needs more than BigQuery gives one job: partition or cluster the table by what is asked for, or narrow the collection with a partition_filter.',
  ],
  billingNotEnabled: ['permission', 'The project has no billing account, which this needs: add one.'],
  responseTooLarge: ['other', 'The result is too large: read fewer columns.'],
  stopped: ['cancelled', 'The job was cancelled before it ended.'],
  timeout: ['statement_timeout', 'The job took longer than jobTimeoutSeconds allows: raise it.'],
}

const network: NetworkSentences = {
  notResolved: 'The host name of BigQuery could not be resolved: check apiEndpoint and the name server.',
  notResolvedNow: 'The host name of BigQuery could not be resolved just now: check the name server.',
  refused: 'Nothing listens at the address of BigQuery: check apiEndpoint.',
  unreachable: 'BigQuery cannot be reached from here: check the firewalls between.',
  late: 'BigQuery could not be reached in time: check the firewalls between.',
  brokenOff: 'The connection to BigQuery broke off: try again.',
  untrusted:
    'The certificate of BigQuery could not be verified: where a proxy stands between, name its authority in NODE_EXTRA_CA_CERTS.',
  notEncrypted: 'No encrypted connection to BigQuery could be agreed on: check apiEndpoint, and the proxies between.',
}

/** Failures that the script of a batch raises itself, in the words of `raised`. */
const own = /habeas:(\w+)(?::(\d+):(\d+))?/

/** A word that a script raises, and that `ownWord` finds again. */
export function ownWord(error: unknown): { word: string; position: number; rows: number } | undefined {
  const [, word, position, rows] = own.exec(messageOf(error)) ?? []
  return word === undefined ? undefined : { word, position: Number(position ?? 0), rows: Number(rows ?? 0) }
}

/** Whether others wrote to a table of the transaction, so that the service ended it. */
export function isConflict(error: unknown): boolean {
  return /due to concurrent/i.test(messageOf(error))
}

/** Whether a statement lacks a limit over the partitions of a table. */
export function isUnlimited(error: unknown): boolean {
  return /partition elimination/i.test(messageOf(error))
}

/** The service ends a job that took too long with the reason of one that somebody cancelled. Only its words tell. */
function tookTooLong(error: unknown): boolean {
  return reasonOf(error) === 'stopped' && /timed out/i.test(messageOf(error))
}

/** Whether more jobs wait to write to a table than the service lets wait, or one has waited for hours. */
function isQueueFull(error: unknown): boolean {
  return /too many DML statements outstanding|DML statement has been queued/i.test(messageOf(error))
}

/** Whether the service account lacks a permission. A quota that is used up has the same status. */
export function isForbidden(error: unknown): boolean {
  return statusOf(error) === 403 && !('transient' in bigqueryFailure(error, 'asking').details)
}

/** The status of an answer of BigQuery, where there is one. */
export function statusOf(error: unknown): number | undefined {
  return isOfLogin(error) ? undefined : answered(error)
}

function answered(error: unknown): number | undefined {
  const { code } = Object(error) as ServiceError
  return typeof code === 'number' ? code : undefined
}

/** Whether it was to give a token, and not BigQuery, that answered. Only the client that asks for tokens keeps its request so. */
function isOfLogin(error: unknown): boolean {
  return 'config' in Object(error)
}

/** What is looked at of an error. */
interface Seen {
  readonly error: unknown
  readonly message: string
  readonly reason: string | undefined
  readonly status: number | undefined
}

/** How an error is recognized, its word for programs, and what to mend. `doing` completes "while …". */
interface Meaning {
  is(seen: Seen): boolean
  readonly reason: string
  readonly transient?: true
  says(doing: string, seen: Seen): string
  /** Further details for programs. */
  details?(seen: Seen): object
}

/** Errors whose words, or whose reason beside a number, say more than a reason alone. The first that fits counts. */
const special: readonly Meaning[] = [
  {
    is: ({ message }) => /streaming buffer/i.test(message),
    reason: 'streaming_buffer',
    transient: true,
    says: () =>
      'Rows were streamed into the table a moment ago and cannot be changed yet, so nothing was written: retry in 90 minutes, or write with the Storage Write API.',
  },
  {
    is: ({ error }) => isUnlimited(error),
    reason: 'partition_filter',
    says: (doing) =>
      `A table requires a filter over its partitions, and this statement has none, while ${doing}: write a partition_filter into the dataset, or leave the collection out with skip_processing.`,
  },
  {
    is: ({ reason }) => reason === 'bytesBilledLimitExceeded',
    reason: 'bytes_billed_limit',
    says(doing, seen) {
      const needed = bytesNeeded(seen)
      const size = needed === undefined ? 'more bytes' : `${needed} bytes, more`
      return `The job would be billed for ${size} than maximumBytesBilled allows, so nothing was read or written while ${doing}: raise it, or partition or cluster the table by what is asked for, or narrow the collection with a partition_filter.`
    },
    details(seen) {
      const bytes = bytesNeeded(seen)
      return bytes === undefined ? {} : { bytes }
    },
  },
  {
    is: ({ error }) => isConflict(error),
    reason: 'lock_timeout',
    transient: true,
    says: (doing) => `Other jobs kept changing the same tables while ${doing}: retry when they have ended.`,
  },
  {
    is: ({ error }) => isQueueFull(error),
    reason: 'lock_timeout',
    transient: true,
    says: (doing) =>
      `Too many jobs wait to write to the same table while ${doing}. Nothing was written: retry when some have ended.`,
  },
  {
    // its code is one of TLS as well
    is: ({ reason, message }) => reason === undefined && /DECODER routines|asn1|PEM|private key/i.test(message),
    reason: 'authentication',
    says: () => 'The private_key of keyfile_creds cannot be read: paste the key file as it was downloaded.',
  },
]

/** All others, where neither the service's reason nor the network says enough. The first that fits counts. */
const general: readonly Meaning[] = [
  {
    is: ({ error, reason, status = 0 }) =>
      status === 401 ||
      reason === 'authError' ||
      (isOfLogin(error) && status >= 400 && status < 500 && status !== tooMany),
    reason: 'authentication',
    says: () => 'BigQuery did not accept the key file: check keyfile_creds, and that the key still exists.',
  },
  {
    is: ({ message }) => /row.?(?:level )?access polic/i.test(message),
    reason: 'row_access_policy',
    says: (doing) =>
      `A row access policy keeps the service account from ${doing}: BigQuery changes rows of such a table only for members of a policy whose filter is TRUE. Grant one to the service account.`,
  },
  {
    is: ({ message }) => /policy tag|data policy|fine-grained reader/i.test(message),
    reason: 'column_policy',
    says: (doing) =>
      `A policy on columns keeps the service account from ${doing}: grant it roles/datacatalog.categoryFineGrainedReader on the policy tags of these columns, or leave the columns out of the dataset.`,
  },
  {
    is: ({ status, reason }) => status === 403 || reason === 'accessDenied',
    reason: 'permission',
    says: (doing) =>
      `The service account lacks a permission for ${doing}: grant it, such as roles/bigquery.jobUser on the project and roles/bigquery.dataEditor on the dataset.`,
  },
  {
    is: ({ message }) => /was not found in location/i.test(message),
    reason: 'wrong_location',
    says: (doing) =>
      `Something that was asked for while ${doing} lies in another location than the dataset, and BigQuery runs a job in one: connect what lies elsewhere by itself, or leave the view over it out with skip_processing.`,
  },
  {
    is: ({ status, reason }) => status === 404 || reason === 'notFound',
    reason: 'missing_collection',
    says: (doing) =>
      `BigQuery does not have what was asked for while ${doing}: check dataset of the connection, and the dataset's tables.`,
  },
  {
    is: ({ reason }) => reason === 'invalidQuery',
    reason: 'other',
    says: (doing) =>
      `BigQuery failed while ${doing}, with invalidQuery. An emulator may not run scripts with transactions, which erasing needs: try it in a project. If that fails as well, it is a fault of the connector: please report it.`,
  },
  {
    is: ({ status = 0 }) => status >= 500 || status === tooMany,
    reason: 'other',
    transient: true,
    says: () => 'BigQuery had an error of its own: try again.',
  },
  {
    is: () => true,
    reason: 'other',
    says: (doing, { reason }) => `BigQuery failed while ${doing}${reason === undefined ? '' : `, with ${reason}`}.`,
  },
]

/** The status of an answer that refuses further requests for a time. */
const tooMany = 429

function bytesNeeded({ message }: Seen): number | undefined {
  const [, needed] = /(\d+) or higher required/i.exec(message) ?? []
  return needed === undefined ? undefined : Number(needed)
}

/** Any error of the client or the service as a `connection_failed` that says what to mend. `doing` completes "while …". */
export function bigqueryFailure(error: unknown, doing: string): PrivacyError {
  if (isPrivacyError(error)) return error
  const seen: Seen = { error, message: messageOf(error), reason: reasonOf(error), status: answered(error) }
  const meant = special.find(({ is }) => is(seen))
  if (meant) return failureOf(meant, seen, doing)
  const known =
    byReason[(tookTooLong(error) ? 'timeout' : seen.reason) ?? ''] ??
    networkFailure(String((Object(error) as ServiceError).code), network)
  if (!known) return failureOf(general.find(({ is }) => is(seen))!, seen, doing)
  const [word, sentence, transient] = known
  return word === 'cancelled' ? cancelledFailure(bare(error)) : failure(word, sentence, bare(error), transient)
}

function failureOf({ reason, transient, says, details }: Meaning, seen: Seen, doing: string): PrivacyError {
  const more = { reason, ...(transient && { transient }), ...details?.(seen) }
  return new PrivacyError('connection_failed', says(doing, seen), more, { cause: bare(seen.error) })
}

/** What the service says of a value that a column does not take. A statement fails for other reasons as well. */
const refusedValue =
  /cannot be null|field \w+ is required|maximum length \d|has precision \d|(?:Bad|Invalid) (?:int64|double|bool|numeric|bignumeric|timestamp|date|datetime|time|interval|range)\b|ST_GeogFromText failed/i

/** The same for a statement that writes. What the service says of values that it refuses would repeat them. */
export function writingFailure(error: unknown, collection: string): PrivacyError {
  if (isPrivacyError(error)) return error
  const message = messageOf(error)
  if ((reasonOf(error) === 'invalidQuery' || reasonOf(error) === 'invalid') && refusedValue.test(message)) {
    const [, column] = /field ([A-Za-z_]\w*)(?:: | cannot be null| is required)/i.exec(message) ?? []
    return refusedFailure(collection, column === undefined ? {} : { column }, bare(error))
  }
  return bigqueryFailure(error, `writing to "${collection}"`)
}

/** That the dataset of the connection has no such table. Names of tables are told apart by their case. */
export function missingTable(collection: string, dataset: string): PrivacyError {
  const message = `The dataset "${dataset}" of BigQuery has no table "${collection}": correct the collection's name, also in its case, or dataset of the connection.`
  return failure('missing_collection', message)
}

/** That the dataset of the connection is not there. */
export function missingDataset(error: unknown, dataset: string): PrivacyError {
  const message = `The project has no dataset "${dataset}": check dataset, and project_id of keyfile_creds.`
  return failure('database_missing', message, bare(error))
}

function reasonOf(error: unknown): string | undefined {
  const reason = (Object(error) as ServiceError).errors?.[0]?.reason
  return typeof reason === 'string' ? reason : undefined
}

function messageOf(error: unknown): string {
  const { message, errors = [] } = Object(error) as ServiceError
  return [message, ...errors.map((each) => each.message)].map(String).join('\n')
}

/** The service repeats values and statements in its words: only its words for programs are kept. */
function bare(error: unknown): Error {
  const { code } = Object(error) as ServiceError
  return Object.assign(new Error(`BigQuery: ${reasonOf(error) ?? String(code ?? 'unknown')}`), { code })
}
