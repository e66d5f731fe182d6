import { type ErrorCode, isPrivacyError } from '../errors.js'

/** What may be told of an error: names and places in the code, never a message. Drivers put values and passwords into messages. */
export interface ErrorTrace {
  readonly code: ErrorCode
  /** Classes and codes of the errors behind it, the outer one first: `DatabaseError 57P01 < Error ECONNRESET`. */
  readonly cause?: string
  /** Where it arose, innermost call first. Only for errors that nobody has foreseen. */
  readonly at?: readonly string[]
}

const deepest = 5
const mostCalls = 6

/** Names and codes are short and have no blanks. What looks otherwise may be a value, and is left out. */
const nameLike = /^[A-Za-z_$][\w$.:-]{0,60}$/
const codeLike = /^(?:[A-Za-z_][\w.:-]{0,60}|[\dA-Z]{1,10}|-?\d{1,6})$/
const callLike = /^\s+at (?:async )?(?:[^()@]+ \()?(?:file:\/\/|node:|\/|[A-Za-z]:\\)[^()@]*:\d+:\d+\)?$/

/** Returns what may be told of an error and of those behind it. */
export function errorTrace(error: unknown): ErrorTrace {
  const code = isPrivacyError(error) ? error.code : 'internal'
  const behind = causesOf(error).filter((each) => !isPrivacyError(each))
  const cause = behind.map(namesOf).join(' < ')
  const calls = code === 'internal' ? callsOf(behind[0] ?? error) : []
  return { code, ...(cause !== '' && { cause }), ...(calls.length > 0 && { at: calls }) }
}

function causesOf(error: unknown): unknown[] {
  const found: unknown[] = []
  for (let next = error; next !== undefined && next !== null && found.length < deepest; ) {
    found.push(next)
    next = memberOf(next, 'cause') ?? firstOf(memberOf(next, 'errors'))
  }
  return found
}

function namesOf(error: unknown): string {
  const names = [memberOf(error, 'name'), nameOfClass(error)].filter((name) => nameLike.test(String(name)))
  const name = names.find((each) => each !== 'Error') ?? names[0] ?? typeof error
  const code = [memberOf(error, 'code'), memberOf(error, 'errno'), memberOf(error, 'status')].find(
    (each) => ['string', 'number'].includes(typeof each) && codeLike.test(String(each)),
  )
  return code === undefined ? `${name}` : `${name} ${code}`
}

function callsOf(error: unknown): readonly string[] {
  const stack = memberOf(error, 'stack')
  if (typeof stack !== 'string') return []
  const calls = stack.split('\n').filter((line) => callLike.test(line))
  return calls.slice(0, mostCalls).map((line) => line.trim().replace(/^at /, ''))
}

function nameOfClass(error: unknown): unknown {
  return memberOf(memberOf(error, 'constructor'), 'name')
}

function firstOf(errors: unknown): unknown {
  return Array.isArray(errors) ? errors[0] : undefined
}

/** Errors may come from anywhere: a member that throws is left out. */
function memberOf(thing: unknown, name: string): unknown {
  if ((typeof thing !== 'object' && typeof thing !== 'function') || thing === null) return undefined
  try {
    return (thing as Readonly<Record<string, unknown>>)[name]
  } catch {
    return undefined
  }
}
