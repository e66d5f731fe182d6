import { isPrivacyError, PrivacyError } from '../../errors.js'

/** Every text that must not be shown: the secrets, and the parts of URLs among them. The name of a dataset is none. */
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
    for (const [member, value] of Object.entries(secrets)) if (member !== 'dataset') visit(value)
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

/** Shorter texts are only hidden as whole words: they occur inside other words by chance. */
const shortest = 4

/** `text` with all secrets hidden, except `harmless` words such as the connection's type. */
export function withoutSecrets(text: string, secrets: unknown, harmless: readonly string[] = []): string {
  return textsIn(secrets)
    .filter((secret) => !harmless.includes(secret))
    .reduce((shown, secret) => {
      if (secret.length >= shortest) return shown.replaceAll(secret, '***')
      const literal = secret.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
      return shown.replace(new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'gu'), '***')
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
