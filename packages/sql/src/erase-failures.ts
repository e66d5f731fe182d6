import { PrivacyError } from '@habeas/core'

/** Which rule of a database refused, as far as the server names it. */
export interface RefusingRule {
  readonly constraint?: string
  readonly column?: string
}

/** That the database refuses what was to be written. Carries names alone; `cause` must hold no value either. */
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

/** That a key cannot be sent as it was read. */
export function unboundFailure(collection: string, column: string): PrivacyError {
  return new PrivacyError(
    'unsupported',
    `A row of "${collection}" holds a value in "${column}" that cannot be sent back as it was read, so the row cannot be named: nothing was written; declare another primary_key.`,
    { reason: 'unbound_key' },
  )
}

/** That a key names other rows than were read. */
export function ambiguousFailure(collection: string, key: readonly string[]): PrivacyError {
  const names = key.map((name) => `"${name}"`).join(', ')
  return new PrivacyError(
    'unsupported',
    `Rows of "${collection}" cannot be told apart by ${names}: nothing was written; add a unique key to the table, or correct primary_key.`,
    { reason: 'ambiguous_rows' },
  )
}

/** That more rows point to those of a batch than may: by `rows` more, as the count at `position` says. */
export function sharedSinceFailure(collection: string, position: number, rows: number): PrivacyError {
  const message = `Rows have come to point to those of "${collection}" that were to be written, which may be somebody else's as well now: nothing was written.`
  return new PrivacyError('connection_failed', message, { reason: 'shared_since', position, rows })
}

/** That rows which say whose those of a batch are have changed. */
export function changedSinceFailure(collection: string): PrivacyError {
  const message = `Rows that say whose those of "${collection}" are have changed: nothing was written.`
  return new PrivacyError('connection_failed', message, { reason: 'changed_since' })
}

/** That a deletion may be carried on by foreign keys that were not there. */
export function referencedSinceFailure(collection: string): PrivacyError {
  const message = `Foreign keys that point to "${collection}" have changed since it was described, and may carry a deletion on to other rows: nothing was written. Retry plans anew.`
  return new PrivacyError('connection_failed', message, { reason: 'referenced_since' })
}

/** That it cannot be asked which rows a foreign key leads to. */
export function uncountableFailure(collection: string): PrivacyError {
  const message = `Rows of "${collection}" that point there cannot be counted: the columns of the foreign key are compared in a way that cannot be asked for.`
  return new PrivacyError('unsupported', message, { feature: 'countEach' })
}
