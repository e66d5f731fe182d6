import { isPlainObject, isPrivacyError, PrivacyError, readScope } from '@habeas/core'

/** An answer names at most as many unknown scopes. */
const mostNamed = 10

/** Runs an action that takes scopes. Where it refuses them, the error also names those that do not exist. */
export async function namingScopes<Result>(sent: unknown, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act()
  } catch (error) {
    const unknown = textsIn(sent).filter((text) => readScope(text) === undefined && isNameLike(text))
    if (!isPrivacyError(error, 'invalid_input') || unknown.length === 0) throw error
    const named = [...new Set(unknown)].slice(0, mostNamed).map((text) => `'${text}'`)
    const message = `${error.message} No scope is called ${named.join(', ')}.`
    throw new PrivacyError('invalid_input', message, error.details, { cause: error })
  }
}

/** What a caller sent as scopes: one text of several words, a list, or an object with lists. */
function textsIn(sent: unknown): string[] {
  if (typeof sent === 'string') return sent.split(' ').filter(Boolean)
  if (Array.isArray(sent)) return sent.filter((each) => typeof each === 'string')
  return isPlainObject(sent) ? [sent['scopes'], sent['grantable_scopes']].filter(Array.isArray).flatMap(textsIn) : []
}

/** Any other text may be a secret in the wrong place, and is not repeated. */
function isNameLike(text: string): boolean {
  return /^[A-Za-z_:-]{1,64}$/.test(text)
}
