import { isPrivacyError } from '../../errors.js'
import { type RowGroup, someOf } from './row-groups.js'

/** Whether a database has refused rows because they are too many, or too large, for one statement. */
export function isTooLarge(error: unknown, { places }: RowGroup): boolean {
  return isPrivacyError(error, 'unsupported') && error.details.reason === 'batch_too_large' && places.length > 1
}

/** A group of at least two rows in two, which are written one after the other. */
export function halvesOf(group: RowGroup): readonly [RowGroup, RowGroup] {
  const middle = group.places.length >> 1
  return [someOf(group, (at) => at < middle), someOf(group, (at) => at >= middle)]
}
