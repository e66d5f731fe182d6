import { isPrivacyError, PrivacyError } from '@habeas/core'
import { MongoBulkWriteError, MongoError, MongoServerError } from 'mongodb'
import { failure } from './connection-failure.js'
import { type GivenOption, type Known, networkFailure, refusedLogin } from './network-failure.js'

const notPrimary: Known = [
  'other',
  'The server is not the primary, so it may lag behind: try again, or give the addresses of all members and leave out directConnection.',
  'transient',
]

/** By the server's code. */
const known: Readonly<Record<number, Known>> = {
  18: refusedLogin,
  8000: refusedLogin,
  50: [
    'statement_timeout',
    'The server ended the command after its time: add an index for it, or raise statementTimeoutSeconds.',
  ],
  24: ['lock_timeout', 'Another operation held a lock for too long: retry when it has ended.', 'transient'],
  10107: ['other', 'The server is no longer the primary: try again when another one is.', 'transient'],
  13435: notPrimary,
  11600: ['other', 'The server is shutting down: try again in a moment.', 'transient'],
  64: [
    'other',
    'Too few members of the replica set took the write in time: try again when they are back.',
    'transient',
  ],
  43: ['other', 'The server forgot a cursor that was not asked for long: try again.', 'transient'],
}

const forbidden = new Set([13])
const stopped = new Set([50, 262, 11601])
/** The transaction can be run again. */
const conflicts = new Set([112, 225, 246, 251, 267])
/** A new value for a field of the shard key: each write names several documents, and none by its whole key. */
const shardKeys = new Set([72, 31025])
/** A duplicate key, the last being the code of DocumentDB for PostgreSQL. */
const duplicates = new Set([11000, 11001, 12582, 319029277])
/** Duplicate keys, validators, and fields that cannot be changed. */
const refusals = new Set([...duplicates, 121, 66, 2, 10003, 28, 40, 52, 56, 57, 17280, 10334, ...shardKeys])

export function codeOf(error: unknown): number | undefined {
  const code = (error as { readonly code?: unknown } | null)?.code
  // An answer whose numbers keep their BSON types has its code as one of these.
  return Number.isInteger(Number(code ?? Number.NaN)) ? Number(code) : undefined
}

/** Whether the server ended a transaction because of another one. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false
  return error.hasErrorLabel('TransientTransactionError') || conflicts.has(codeOf(error) ?? 0)
}

export function closedFailure(): PrivacyError {
  return failure('cancelled', 'The connection was closed while it was in use: open it again.')
}

export function cancelledFailure(cause: unknown): PrivacyError {
  return failure('cancelled', 'The command was cancelled before it ended.', cause)
}

export function notPrimaryFailure(): PrivacyError {
  const [reason, sentence, transient] = notPrimary
  return failure(reason, sentence, undefined, transient)
}

export function missingCollectionFailure(collection: string, database: string): PrivacyError {
  const message = `The database "${database}" has no collection "${collection}": correct the dataset, or database of the connection.`
  return failure('missing_collection', message)
}

export function missingColumnFailure(collection: string, columns: readonly string[]): PrivacyError {
  const names = columns.map((name) => `"${name}"`).join(', ')
  const message = `The validator of "${collection}" allows no field ${names}: correct the dataset.`
  return failure('missing_column', message)
}

/**
 * Any error of the driver as a `connection_failed` that says what to mend. `doing` completes "while …". `given` are options
 * that may keep the driver from a server that is there.
 */
export function mongoFailure(error: unknown, doing: string, given: readonly GivenOption[] = []): PrivacyError {
  if (isPrivacyError(error)) return error
  const code = codeOf(error) ?? 0
  if (error instanceof MongoServerError && forbidden.has(code)) {
    return failure('permission', `The user of the connection lacks a permission for ${doing}: grant it.`, bare(error))
  }
  if (isConflict(error)) {
    return failure(
      'lock_timeout',
      `Other writes kept ending this transaction while ${doing}: try again in a moment, or raise lockTimeoutSeconds.`,
      bare(error),
      'transient',
    )
  }
  const found = known[code] ?? (stopped.has(code) ? known[50] : undefined) ?? networkFailure(error, given)
  if (!found)
    return failure(
      'other',
      `The database failed while ${doing}${code ? `, with code ${code}` : ''}; its own log has the cause.`,
      bare(error),
    )
  const [reason, sentence, transient] = found
  return failure(reason, sentence, bare(error), transient)
}

/** What the server says may repeat values, so that only the code is kept. */
function bare(error: unknown): Error {
  if (!(error instanceof MongoServerError)) return error instanceof Error ? error : new Error('not an error')
  const { code } = error
  return Object.assign(new Error(`MongoDB code ${code}`), { code })
}

/** That the database refuses what was to be written. It names rules alone. */
export function refusedFailure(
  collection: string,
  rule: { readonly constraint?: string; readonly column?: string },
  cause?: unknown,
): PrivacyError {
  const { constraint, column } = rule
  const details = { reason: 'refused', ...rule } as const
  const options = cause === undefined ? {} : { cause }
  if (duplicates.has(codeOf(cause) ?? 0)) {
    const index = constraint === undefined ? 'one of its unique indexes' : `its unique index "${constraint}"`
    const message = `The collection "${collection}" refuses what was to be written, because another document holds the same in ${index}: name 'random_string_rewrite' or 'hash' as the masking_strategy of the field, keep it with 'retain' or 'read_only', delete whole documents with erase: "delete", or drop the index.`
    return new PrivacyError('connection_failed', message, details, options)
  }
  const isOfShardKey = shardKeys.has(codeOf(cause) ?? 0)
  const named =
    constraint !== undefined
      ? `its index "${constraint}"`
      : column !== undefined
        ? `its field "${column}"`
        : isOfShardKey
          ? 'its shard key, which cannot change'
          : 'its validator'
  return new PrivacyError(
    'connection_failed',
    `The collection "${collection}" refuses what was to be written, because of ${named}: choose another strategy, or retain the field.`,
    details,
    options,
  )
}

/** The same for a command that writes. `indexes` are names of rules that nobody could have made up. */
export function writingFailure(error: unknown, collection: string, indexes: readonly string[]): PrivacyError {
  const doing = `writing to "${collection}"`
  if (isPrivacyError(error)) return error
  const code = codeOf(error)
  if (!(error instanceof MongoServerError) || code === undefined || !refusals.has(code))
    return mongoFailure(error, doing)
  const message =
    error instanceof MongoBulkWriteError ? ([error.writeErrors].flat()[0]?.errmsg ?? error.message) : error.message
  const [, named, quoted] = / index: (?:(\S+)(?: dup key|$))|: Index '([^']+)'/.exec(message) ?? []
  const index = named ?? quoted
  const constraint = index === '_id_' || (index !== undefined && indexes.includes(index)) ? index : undefined
  const column = code === 66 ? '_id' : undefined
  return refusedFailure(
    collection,
    { ...(constraint !== undefined && { constraint }), ...(column && { column }) },
    bare(error),
  )
}

export function ambiguousFailure(collection: string, key: readonly string[]): PrivacyError {
  const names = key.map((name) => `"${name}"`).join(', ')
  const message = `Documents of "${collection}" cannot be told apart by ${names}: nothing was written; correct primary_key, or give keys of one type to the collection.`
  return new PrivacyError('unsupported', message, { reason: 'ambiguous_rows' })
}

export function sharedSinceFailure(collection: string, position: number, rows: number): PrivacyError {
  const message = `Documents have come to point to those of "${collection}" that were to be written, which may be somebody else's as well now.`
  return new PrivacyError('connection_failed', message, { reason: 'shared_since', position, rows })
}

export function changedSinceFailure(collection: string): PrivacyError {
  const message = `Documents that say whose those of "${collection}" are have changed.`
  return failure('changed_since', message)
}

export function noTransactions(): PrivacyError {
  const message =
    'This MongoDB server stands alone and has no transactions, so nothing can be tried and taken back: make it a replica set of one member.'
  return new PrivacyError('unsupported', message, { feature: 'transactions' })
}

export function unboundFailure(collection: string): PrivacyError {
  const message = `A document of "${collection}" holds a key that cannot be sent back as it was read, so it cannot be named: nothing was written.`
  return new PrivacyError('unsupported', message, { reason: 'unbound_key' })
}

export function tooLargeFailure(collection?: string): PrivacyError {
  const message =
    collection === undefined
      ? 'A key of a document is too large to be searched by: MongoDB takes 16 MB in one command.'
      : `A document of "${collection}" is too large to be changed: MongoDB takes 16 MB in one command, which has to hold what was read and what is written. Delete such documents (erase: delete), or by hand.`
  return new PrivacyError('unsupported', message, { reason: 'too_large' })
}

export function unwritableFailure(why: string): PrivacyError {
  return new PrivacyError('unsupported', why, { feature: 'erase' })
}
