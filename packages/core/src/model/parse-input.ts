import type * as z from 'zod'
import { type Issue, PrivacyError } from '../errors.js'
import { cleanInput, isPlainObject, type Warning } from './clean-input.js'
import { nearestValueHint } from './nearest-key.js'

export type { Warning }

export interface Parsed<Output> {
  readonly value: Output
  readonly warnings: readonly Warning[]
}

export interface ParseOptions {
  /** Members of our own answers. The reader ignores them at the root. Default: those of every resource. */
  readonly readOnly?: readonly string[]
  /** Maps a place in the value that the schema read to the place that the caller wrote. */
  readonly locate?: (loc: Issue['loc']) => Issue['loc']
}

/** The most bad places in one answer, so that it does not outgrow the input. The next try shows the others. */
const mostIssues = 100

const readOnlyMembers = [
  ...['id', 'version', 'findings', 'warnings', 'open'],
  ...['created_at', 'updated_at', 'connection_key', 'is_default', 'last_test_timestamp', 'last_test_succeeded'],
  ...['createdAt', 'updatedAt', 'connectionKey', 'isDefault', 'lastTestAt', 'lastTestSucceeded'],
]

/**
 * Reads an outside value with a schema. Every input goes through here. Throws `invalid_input` with every bad place.
 * Unknown members that are no error are listed in `warnings`. No message repeats a value.
 */
export function parseInput<Output>(
  what: string,
  schema: z.ZodType<Output>,
  input: unknown,
  { readOnly = readOnlyMembers, locate = (loc) => loc }: ParseOptions = {},
): Parsed<Output> {
  const cleaned = cleanInput(schema, input, new Set(readOnly))
  const result = schema.safeParse(cleaned.value, { error: describeIssue, reportInput: true })
  const found = result.error?.issues.slice(0, mostIssues).flatMap((issue) => translate(issue, [], cleaned.hints)) ?? []
  const named = new Set(cleaned.issues.map(({ loc }) => JSON.stringify(loc)))
  // Each place gets one reason only.
  const issues = [...cleaned.issues, ...found.filter(({ loc }) => !named.has(JSON.stringify(loc)))].map((issue) =>
    issue.type === 'missing' ? { ...issue, msg: `${issue.msg}${ignoredFor(issue.loc, cleaned.warnings)}` } : issue,
  )
  if (issues.length > 0 || !result.success)
    throw invalidInput(
      what,
      issues.map((issue) => ({ ...issue, loc: locate(issue.loc) })),
    )
  return { value: dropUndefined(result.data), warnings: cleaned.warnings }
}

/** Names the unknown member that was probably meant for a missing one. The caller gets no warnings with a refusal. */
function ignoredFor(loc: Issue['loc'], warnings: readonly Warning[]): string {
  const isBeside = (other: Issue['loc']) => JSON.stringify(other.slice(0, -1)) === JSON.stringify(loc.slice(0, -1))
  const meant = warnings.find((each) => isBeside(each.loc) && each.msg.endsWith(` '${loc.at(-1)}'`))
  return meant ? `: '${meant.loc.at(-1)}' is not known here` : ''
}

/**
 * Makes an `invalid_input`. Its message names the first bad place and the number of further ones. It carries at most
 * 100 issues.
 */
export function invalidInput(what: string, found: readonly Issue[]): PrivacyError<'invalid_input'> {
  const issues = found.slice(0, mostIssues)
  const [first, ...others] = issues
  const place = first && formatTextPlace(first) + [formatLocation(first.loc), first.msg].filter(Boolean).join(' ')
  const more = others.length > 0 ? `, and ${others.length} more` : ''
  return new PrivacyError('invalid_input', `This ${what} is not valid: ${place ?? 'see issues'}${more}.`, { issues })
}

/** `shop.yml, line 3, column 5: `, as far as it is known. */
function formatTextPlace({ file, line, column }: Issue): string {
  const places = [file, line && `line ${line}`, column && `column ${column}`].filter(Boolean)
  return places.length > 0 ? `${places.join(', ')}: ` : ''
}

function formatLocation(loc: Issue['loc']): string {
  return loc.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('')
}

function translate(issue: z.core.$ZodIssue, above: Issue['loc'], hints: ReadonlyMap<string, string>): Issue[] {
  const loc = [...above, ...issue.path.map((part) => (typeof part === 'symbol' ? String(part) : part))]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const place = [...loc, key]
      return { loc: place, msg: `is not known here${hints.get(JSON.stringify(place)) ?? ''}`, type: 'unknown_member' }
    })
  }
  if (issue.input === undefined && issue.code !== 'custom') return [{ loc, msg: 'is required', type: 'missing' }]
  if (issue.code === 'invalid_union') {
    const meant = issue.errors.find((branch) => branch.length > 0 && !branch.some(isOfAnotherKind))
    if (meant) return meant.flatMap((inner) => translate(inner, loc, hints))
  }
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') {
    return issue.issues.map((inner) => ({ loc, msg: inner.message, type: issue.code }))
  }
  return [
    { loc, msg: issue.message, type: issue.code === 'custom' ? (issue.params?.type ?? 'invalid_value') : issue.code },
  ]
}

function isOfAnotherKind(issue: z.core.$ZodIssue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value')
}

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

const formats: Readonly<Record<string, string>> = {
  url: 'must be a URL, such as https://example.com',
  email: 'must be an e-mail address',
  uuid: 'must be a UUID',
  datetime: 'must be a time, such as 2024-01-31T12:00:00Z',
  date: 'must be a date, such as 2024-01-31',
}

/** Messages for schemas without their own. A message says what is allowed and never repeats the value. */
export function describeIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}${nearestOf(issue)}`
    case 'too_small':
      if (issue.origin === 'number' || issue.origin === 'int') return `must be at least ${issue.minimum}`
      return issue.minimum === 1 ? 'must not be empty' : `must have at least ${issue.minimum} ${units(issue.origin)}`
    case 'too_big':
      if (issue.origin === 'number' || issue.origin === 'int') return `must be at most ${issue.maximum}`
      return `must have at most ${issue.maximum} ${units(issue.origin)}`
    case 'invalid_format':
      return formats[issue.format] ?? 'is not valid'
    default:
      return 'is not valid'
  }
}

function nearestOf({ input, values }: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidValue>): string {
  return typeof input === 'string' && values.length > 1 ? nearestValueHint(input, values.map(String)) : ''
}

const units = (origin: string) => (origin === 'string' ? 'characters' : 'items')

function dropUndefined<Value>(value: Value): Value {
  if (Array.isArray(value)) value.forEach(dropUndefined)
  else if (isPlainObject(value)) {
    for (const [name, member] of Object.entries(value)) {
      if (member === undefined) delete (value as Record<string, unknown>)[name]
      else dropUndefined(member)
    }
  }
  return value
}
