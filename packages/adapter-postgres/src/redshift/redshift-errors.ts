import { type DriverErrors, ruleInMessage } from '@habeas/sql'
import { postgresErrors } from '../postgres-errors.js'

/** What the server says in words only: most of its own errors have the code XX000, and each refused login the code 28000. */
const said: readonly (readonly [code: string, words: RegExp])[] = [
  ['1023', /^1023$|serializable isolation violation/i],
  ['28P01', /password authentication failed/i],
  ['too_many', /connection limit .* exceeded|too many (?:connections|clients)/i],
  ['57014', /cancelled on user's request|statement timeout/i],
  ['23502', /cannot insert a null value into column/i],
  ['22001', /value too long for (?:character )?type/i],
  ['22003', /numeric data overflow|overflow \(/i],
  ['42501', /permission denied/i],
  // PostgreSQL, which has no such setting
  ['not_redshift', /unrecognized configuration parameter "enable_case_sensitive_identifier"/],
]

const vague = new Set([undefined, 'XX000', '08001', '28000', '42704', '53300'])

/** What errors of `pg` and of Redshift mean. */
export const redshiftErrors: DriverErrors = {
  ...postgresErrors,
  server: 'Redshift',
  codeOf(error) {
    const { message, detail } = error as { message?: unknown; detail?: unknown }
    const code = postgresErrors.codeOf(error)
    if (!vague.has(code)) return code
    return said.find(([, words]) => words.test(String(message)) || words.test(String(detail)))?.[0] ?? code
  },
  known: {
    ...postgresErrors.known,
    '28000': [
      'authentication',
      'The server does not let this user log in from here: check user, and the security group of the cluster.',
    ],
    not_redshift: [
      'database_missing',
      'The server is not Redshift: make this a connection of the type postgres, or correct host and port.',
    ],
    too_many: [
      'other',
      'The cluster has no connection left to give: raise CONNECTION LIMIT of the user or database, or lower poolSize.',
      'transient',
    ],
  },
  byText(text) {
    if (/unknown authentication/i.test(text))
      return [
        'authentication',
        'The cluster keeps the password of this user as a SHA-256 hash, by which the driver cannot log in: set it again with ALTER USER … PASSWORD, as it is or as an MD5 hash.',
      ]
    return postgresErrors.byText?.(text)
  },
  /** A write that the state of the table has overtaken, beside what PostgreSQL calls so. */
  conflicts: new Set([...postgresErrors.conflicts, '1023']),
  refusals: /^(?:22|23|0A000|42804|42809)/,
  refusingRule: ruleInMessage(/(?!)/, /cannot insert a null value into column ([\w$]+)$/i),
  // there are neither conditions that raise errors nor policies that refuse to count
  raised: () => undefined,
  hidden: () => undefined,
}
