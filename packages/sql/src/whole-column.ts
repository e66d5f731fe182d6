import { PrivacyError } from '@habeas/core'
import type { KeyTarget, SqlColumn } from './dialect.js'

/** The target itself where it is a whole column. Throws `unsupported` where it lies inside of one. */
export function wholeColumn<Column extends SqlColumn>(target: KeyTarget<Column>): KeyTarget<Column> {
  if (target.path.length === 0) return target
  const message = `What lies inside of "${target.column.name}" cannot be searched on this server: name the column itself.`
  throw new PrivacyError('unsupported', message, { feature: 'nestedFields' })
}
