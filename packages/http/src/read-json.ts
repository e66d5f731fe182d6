import { type Issue, invalidInput } from '@habeas/core'
import type { HttpCall } from './http-call.js'
import { httpError } from './problem.js'
import { readBytes } from './read-bytes.js'

/** How many bytes the bodies of calls may have. */
export interface BodyLimits {
  /** Default: 1 MiB. */
  readonly ordinary?: number
  /** For datasets and manifests. Default: 16 MiB. */
  readonly document?: number
}

export const defaultLimits: Required<BodyLimits> = { ordinary: 1024 * 1024, document: 16 * 1024 * 1024 }

const deepest = 64
/** Members and items of one body, at every depth. A dataset of 16 MiB has fewer; a body of commas has more. */
const mostValues = 1_000_000
/** One answer names at most as many. The next answer names those that are left. */
const mostIssues = 100

export type MediaType = 'json' | 'yaml' | 'form'

const mediaTypes: Readonly<Record<MediaType, RegExp>> = {
  json: /^application\/(json|[a-z0-9.!#$&^_+-]+\+json)$/,
  yaml: /^(application|text)\/(x-)?yaml$/,
  form: /^(application\/x-www-form-urlencoded|multipart\/form-data)$/,
}

const names: Readonly<Record<MediaType, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  form: 'application/x-www-form-urlencoded',
}

/** What the content type says the body is; one that says nothing is taken for the first of `accepted`. */
export function mediaTypeOf(call: HttpCall, accepted: readonly MediaType[]): MediaType {
  const header = call.header('content-type')?.trim() ?? ''
  const written = header.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const found = header === '' ? accepted[0] : accepted.find((type) => mediaTypes[type].test(written))
  if (found) return found
  const list = accepted.map((type) => names[type]).join(' or ')
  throw httpError('unsupported_media_type', `The content type of the body is not taken here: send ${list}.`)
}

/** A body as a value whose texts every storage can keep. Undefined: there is no body. */
export async function readJson(call: HttpCall, limit: number): Promise<unknown> {
  const bytes = await readBytes(call, limit)
  if (call.body.kind === 'parsed') {
    // A body parser left an empty object where there was no body.
    const none = call.header('content-length') === '0' || call.body.value === undefined
    if (none) return undefined
    mediaTypeOf(call, ['json'])
    return checked(call.body.value)
  }
  if (bytes.byteLength === 0) return undefined
  mediaTypeOf(call, ['json'])
  return checked(parseJson(decode(bytes)))
}

/** A body as text, for those who parse it themselves. */
export async function readText(call: HttpCall, limit: number): Promise<string> {
  return decode(await readBytes(call, limit))
}

export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw httpError('malformed_body', 'The body is not UTF-8: encode its text as UTF-8.')
  }
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const place = /at position (\d+)/.exec((error as Error).message)?.[1]
    const where = place === undefined ? '' : ` at character ${place}`
    throw httpError('malformed_body', `The body is not JSON: it cannot be read${where}.`)
  }
}

/**
 * The value, if everything in it can be kept: it is not too deep, its texts and numbers are valid, and it has no
 * more values than can be read in good time.
 */
export function checked(value: unknown): unknown {
  const issues: Issue[] = []
  const loc: (string | number)[] = ['body']
  let values = 0
  const fault = (msg: string, type: string, place: Issue['loc'] = [...loc]) => {
    if (issues.length < mostIssues) issues.push({ loc: place, msg, type })
  }
  const visit = (value: unknown): void => {
    values++
    if (typeof value === 'string') {
      if (!isCleanText(value)) fault('must be well-formed text without null characters', 'invalid_text')
    } else if (typeof value === 'number') {
      if (!Number.isFinite(value)) fault('must be a number that fits', 'invalid_number')
    } else if (typeof value === 'object' && value !== null) {
      if (loc.length > deepest) {
        fault(`must not be nested deeper than ${deepest} levels`, 'too_deep', loc.slice(0, 2))
        return
      }
      if (Array.isArray(value)) for (let index = 0; index < value.length; index++) inside(index, value[index])
      else for (const name of Object.keys(value)) inside(name, (value as Record<string, unknown>)[name])
    }
  }
  const inside = (name: string | number, member: unknown): void => {
    if (values > mostValues) return
    if (name === '__proto__' || (typeof name === 'string' && !isCleanText(name))) {
      fault('has a member whose name is not allowed', 'forbidden_name')
      return
    }
    loc.push(name)
    visit(member)
    loc.pop()
  }
  visit(value)
  if (values > mostValues) fault(`holds more than ${mostValues} values: send less at once`, 'too_big', ['body'])
  if (issues.length > 0) throw invalidInput('body', issues)
  return value
}

function isCleanText(text: string): boolean {
  return !/\p{Surrogate}|\0/u.test(text)
}
