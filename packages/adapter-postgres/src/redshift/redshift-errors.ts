import { type DriverErrors, ruleInMessage } from '@habeas/sql'
import { postgresErrors } from '../postgres-errors.js'

/** What the server says in words only: most of its own errors have the code XX000. */
const said: readonly (readonly [code: string, words: RegExp])[] = [
  ['1023', /^1023$|serializable isolation violation/i],
  ['too_many', /connection limit .* exceeded/i],
  ['23502', /cannot insert a null value into column/i],
  ['22001', /value too long for (?:character )?type/i],
  ['22003', /numeric data overflow|overflow \(/i],
  ['42501', /permission denied/i],
]

/** What errors of `pg` and of Redshift mean. */
export const redshiftErrors: DriverErrors = {
  ...postgresErrors,
  codeOf(error) {
    const { message, detail } = error as { message?: unknown; detail?: unknown }
    const code = postgresErrors.codeOf(error)
    if (code !== undefined && code !== 'XX000' && code !== '08001') return code
    return said.find(([, words]) => words.test(String(message)) || words.test(String(detail)))?.[0] ?? code
  },
  known: {
    ...postgresErrors.known,
    '28000': [
      'authentication',
      'The server does not let this user log in from here: check user, and the security group of the cluster.',
    ],
    too_many: [
      'other',
      'The cluster has no connection left to give: raise CONNECTION LIMIT of the user or database, or lower poolSize.',
      'transient',
    ],
  },
  /** A write that the state of the table has overtaken, beside what PostgreSQL calls so. */
  conflicts: new Set([...postgresErrors.conflicts, '1023']),
  refusals: /^(?:22|23|0A000|42804|42809)/,
  refusingRule: ruleInMessage(/(?!)/, /cannot insert a null value into column ([\w$]+)$/i),
  // there are neither conditions that raise errors nor policies that refuse to count
  raised: () => undefined,
  hidden: () => undefined,
}
