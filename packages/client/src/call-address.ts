import { type Issue, PrivacyError } from '@habeas/core'

export interface CallParameters {
  readonly path?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, unknown>> | undefined
}

export interface CallAddress {
  readonly verb: string
  /** With its query. */
  readonly url: string
}

/** The address of a call. Throws `invalid_input` naming each parameter of the path that no path can hold. */
export function addressOf(baseUrl: string, key: string, { path = {}, query = {} }: CallParameters): CallAddress {
  const [verb = '', pattern = ''] = key.split(' ')
  const issues: Issue[] = []
  const filled = pattern.replace(/\{(.+?)\}/g, (_, name: string) => {
    const value: unknown = Object.hasOwn(path, name) ? path[name] : undefined
    // Servers and clients resolve dots before anybody sees them, encoded or not, and so would call another endpoint.
    const isSegment = typeof value === 'string' && !/^\.{0,2}$|\p{Surrogate}/u.test(value)
    if (isSegment) return encodeURIComponent(value)
    issues.push({ loc: ['path', name], msg: 'must be text other than "", "." and ".."', type: 'invalid_value' })
    return ''
  })
  if (issues.length > 0) {
    const message = `The path of ${key} lacks ${issues.map(({ loc }) => `'${loc[1]}'`).join(' and ')}: give each in 'path'.`
    throw new PrivacyError('invalid_input', message, { issues })
  }
  return { verb, url: `${baseUrl}${filled}${searchOf(query)}` }
}

/** A list becomes a parameter that is given several times. */
function searchOf(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => {
    const given = (Array.isArray(value) ? value : [value]).filter((item) => item !== undefined)
    return given.map((item): [string, string] => [name, String(item)])
  })
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}
