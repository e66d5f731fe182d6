import { PrivacyError } from '@habeas/core'

/** Which rule of a database refused, as far as the server names it. */
export interface RefusingRule {
  readonly constraint?: string
  readonly column?: string
}

/** Returns the failure of a write that the database refuses. It holds names only, and `cause` must hold no value either. */
export function refusedFailure(collection: string, rule: RefusingRule, cause?: unknown): PrivacyError {
  const { constraint, column } = rule
  const named =
    constraint !== undefined
      ? `its rule "${constraint}"`
      : column !== undefined
        ? `its column "${column}"`
        : 'one of its rules'
  return new PrivacyError(
    'connection_failed',
    `The table "${collection}" refuses what was to be written, because of ${named}: choose another strategy, or retain the field.`,
    {
      reason: 'refused',
      ...(constraint === undefined ? {} : { constraint }),
      ...(column === undefined ? {} : { column }),
    },
    cause === undefined ? {} : { cause },
  )
}

/** Returns the failure of a key that cannot be sent as it was read. */
export function unboundFailure(collection: string, column: string): PrivacyError {
  return new PrivacyError(
    'unsupported',
    `A row of "${collection}" holds a value in "${column}" that cannot be sent back as it was read, so no statement can name the row: nothing was written; declare another primary_key.`,
    { reason: 'unbound_key' },
  )
}

/** Returns the failure of a key that names other rows than were read. */
export function ambiguousFailure(collection: string, key: readonly string[]): PrivacyError {
  const names = key.map((name) => `"${name}"`).join(', ')
  return new PrivacyError(
    'unsupported',
    `Rows of "${collection}" cannot be told apart by ${names}: nothing was written; add a unique key to the table, or correct primary_key.`,
    { reason: 'ambiguous_rows' },
  )
}

/** Returns the failure of rows without a key of which other numbers hold all their values than were read. */
export function unkeyedFailure(collection: string): PrivacyError {
  return new PrivacyError(
    'unsupported',
    `Rows of "${collection}" have no key and cannot be told apart by their values: other rows hold them than were read. Some may have changed, or a document holds a number that does not fit into a double beside a text that looks like one. Nothing was written: retry, or add a unique key to the table.`,
    { reason: 'ambiguous_rows' },
  )
}

/** Returns the failure of a batch to which `rows` more rows refer than allowed, by the count at `position`. */
export function sharedSinceFailure(collection: string, position: number, rows: number): PrivacyError {
  const message = `More rows refer to the rows of "${collection}" that were to be written than before, so these may now be somebody else's as well: nothing was written.`
  return new PrivacyError('connection_failed', message, { reason: 'shared_since', position, rows })
}

/** Returns the failure of a batch when rows that decide who owns its rows have changed. */
export function changedSinceFailure(collection: string): PrivacyError {
  const message = `Rows that decide who owns the rows of "${collection}" have changed: nothing was written.`
  return new PrivacyError('connection_failed', message, { reason: 'changed_since' })
}

/** Returns the failure of a deletion that new foreign keys may carry on. */
export function referencedSinceFailure(collection: string): PrivacyError {
  const message = `Foreign keys that refer to "${collection}" have changed since it was described, and may carry a deletion on to other rows: nothing was written. A retry makes a new plan.`
  return new PrivacyError('connection_failed', message, { reason: 'referenced_since' })
}

/** Returns the failure of a foreign key whose rows cannot be counted. */
export function uncountableFailure(collection: string): PrivacyError {
  const message = `Rows of "${collection}" that refer to others by a foreign key cannot be counted: no statement can compare its columns as the foreign key does.`
  return new PrivacyError('unsupported', message, { feature: 'countEach' })
}
