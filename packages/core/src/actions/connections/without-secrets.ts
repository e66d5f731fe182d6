import { isPrivacyError, PrivacyError } from '../../errors.js'

/** Members that say where the data is. They open nothing, and readers of a failure need them. */
const places = new Set(['dataset', 'database', 'dbname', 'database_name', 'db_schema', 'schema_name'])

/** Every text that must not be shown: the secrets, and the parts of URLs among them. */
function textsIn(secrets: unknown): string[] {
  const texts = new Set<string>()
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      texts.add(value)
      if (URL.canParse(value)) {
        const { hostname, username, password } = new URL(value)
        for (const part of [hostname, username, password]) texts.add(part).add(decoded(part))
      }
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(visit)
  }
  if (typeof secrets === 'object' && secrets !== null) {
    for (const [member, value] of Object.entries(secrets)) if (!places.has(member)) visit(value)
  } else visit(secrets)
  // The longest first, so that no piece of it is left when a shorter one lies within.
  return [...texts].filter((text) => text.trim() !== '').sort((left, right) => right.length - left.length)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A longer text of letters alone is a key rather than a word: it is hidden inside of other words as well. */
const longestWord = 15

/** Words, numbers and texts so short that they occur inside other words by chance. */
const isWord = (text: string) => text.length < 4 || (text.length <= longestWord && /^(?:\p{L}+|\d+)$/u.test(text))

/**
 * Words that sentences about databases hold. Hiding one of them there would make the sentence unreadable, and would show
 * what the secret is. So they are hidden only where a value may stand.
 */
const ordinary = new Set(
  [
    'a an the and or of in on at to for with by as it its is be no not none this that from all user users login role',
    'host port url name key password secret secrets token server service account database schema table collection',
    'column field query statement address connection certificate time read write postgres postgresql timescale',
    'redshift mysql mariadb mssql sqlserver sql mongo mongodb bigquery snowflake redis localhost',
  ]
    .join(' ')
    .split(' '),
)

/** Not inside of a word. An escape, as of a line break in JSON or of a blank in a URL, is not part of the word after it. */
const begins = String.raw`(?:(?<![\p{L}\p{N}_])|(?<=\\[bfnrt]|%[0-9A-Fa-f]{2}))`
const ends = String.raw`(?![\p{L}\p{N}_])`

/** Within quotes, beside the punctuation of URLs and settings, or after the word for such a value. */
const asValue = (literal: string) =>
  [
    String.raw`(?<=["'\x60])${literal}(?=\\?["'\x60])`,
    String.raw`(?<=[=@]|//|[^\s]:)${literal}${ends}`,
    `${begins}${literal}(?=@|:[^/\\s])`,
    String.raw`(?<=\b(?:password|passphrase|secret|token|username|user|login|host):? (?:is )?)${literal}${ends}`,
  ].join('|')

/** `text` with all secrets hidden, except `harmless` words such as the connection's type. */
export function withoutSecrets(text: string, secrets: unknown, harmless: readonly string[] = []): string {
  return textsIn(secrets)
    .filter((secret) => !harmless.includes(secret))
    .reduce((shown, secret) => {
      if (!isWord(secret)) return shown.replaceAll(secret, '***')
      const literal = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      const pattern = ordinary.has(secret.toLowerCase()) ? asValue(literal) : `${begins}${literal}${ends}`
      return shown.replace(new RegExp(pattern, 'gu'), '***')
    }, text)
}

/**
 * The part of an error that may be shown when code with access to the secrets threw it: our own messages only, without
 * secrets.
 */
export function shownReason(error: unknown, otherwise: string, secrets: unknown, harmless: readonly string[]): string {
  return isPrivacyError(error) ? withoutSecrets(error.message, secrets, harmless) : otherwise
}

/** An error of a host's own parser of secrets, without the values that it may have repeated. */
export function refusalWithoutSecrets(error: unknown, connectionType: string, secrets: unknown): PrivacyError {
  const harmless = [connectionType]
  if (!isPrivacyError(error, 'invalid_input')) {
    const msg = `do not fit the connector for ${connectionType}`
    const message = `These secrets ${msg}: see its documentation.`
    return new PrivacyError('invalid_input', message, { issues: [{ loc: [], msg, type: 'invalid_value' }] })
  }
  const clean = (text: string) => withoutSecrets(text, secrets, harmless)
  const issues = error.details.issues.map((issue) => ({ ...issue, msg: clean(issue.msg) }))
  return new PrivacyError('invalid_input', clean(error.message), { issues })
}
