import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { objectId, type Value } from '../../../core/src/model/value.js'
import { type Override, overrides } from './overrides.js'

/** The folder of cases; nothing of it is part of this project. */
export const folder = process.env['CONFORMANCE_DIR'] ?? ''

/** An object of a case file, its members still to be told apart by whoever reads them. */
export type Json = Readonly<Record<string, unknown>>

export interface Case<Input = Json, Expected = Json> {
  readonly id: string
  readonly title: string
  readonly input: Input
  readonly expected: Expected
}

interface Verdict {
  readonly id: string
  readonly verdict: 'KEEP' | 'OVERRIDE' | 'DROP'
  readonly clause: string
  readonly note: string
  readonly expected?: Json
}

type Judged = Case & { readonly drop?: string; readonly by?: string }

/**
 * Registers one test for each case of a kind that lies in the folder. What `overrides` says about a case counts; about
 * a case that it does not know, the folder's own verdicts do.
 */
export function conformance<Input, Expected>(
  kind: string,
  check: (given: Case<Input, Expected>) => Promise<void> | void,
  inScope: (given: Case<Input, Expected>) => boolean = () => true,
): void {
  if (folder === '') {
    it.skip(`${kind}: CONFORMANCE_DIR is not set`, () => {})
    return
  }
  const found = casesOf(kind).filter((each) => inScope(each as Case<Input, Expected>))
  describe(kind, () => {
    it('has cases', () => expect(found.length).toBeGreaterThan(0))
    for (const each of found) {
      const name = `${each.id}: ${each.by === undefined ? each.title : `as ${each.by} has it`}`
      if (each.drop === undefined) it(name, () => check(each as unknown as Case<Input, Expected>))
      else it.skip(`${each.id}: ${each.drop}`, () => {})
    }
  })
}

/** Says once why nothing runs. */
export function sayWhenAbsent(): void {
  if (folder === '') console.log('The conformance cases are skipped: CONFORMANCE_DIR is not set.')
  else if (!existsSync(join(folder, 'cases'))) throw new Error(`CONFORMANCE_DIR names no folder of cases: ${folder}`)
}

function casesOf(kind: string): Judged[] {
  const verdicts = new Map(readVerdicts().map((verdict) => [verdict.id, verdict]))
  return readdirSync(join(folder, 'cases'))
    .filter((name) => name.endsWith('.json') && name !== 'index.json')
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, 'cases', name), 'utf8')) as Case & { kind: string })
    .filter((each) => each.kind === kind)
    .map((each) => {
      const override = overrides[each.id]
      return override ? overridden(each, override) : judged(each, verdicts.get(each.id))
    })
}

function overridden(given: Case, override: Override): Judged {
  if ('drop' in override) return { ...given, drop: `dropped by ${override.clause}: ${override.drop}` }
  const expected = typeof override.expected === 'function' ? override.expected(given.expected) : override.expected
  return {
    ...given,
    by: override.clause,
    input: { ...given.input, ...override.input },
    expected: expected ?? given.expected,
  }
}

function judged(given: Case, verdict: Verdict | undefined): Judged {
  if (!verdict || verdict.verdict === 'KEEP') return given
  if (verdict.verdict === 'DROP') return { ...given, drop: `dropped: ${verdict.clause} ${verdict.note}` }
  if (!verdict.expected) return { ...given, drop: `overridden without a result: ${verdict.clause} ${verdict.note}` }
  return { ...given, by: verdict.clause, expected: verdict.expected }
}

function readVerdicts(): readonly Verdict[] {
  const path = join(folder, 'verdicts.json')
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Verdict[]) : []
}

/** A file the cases name as `samples/…`, or with `#key` one member of it; words after the name are a remark. */
export function sample(reference: string): unknown {
  const [name = '', key] = (reference.split(' ')[0] as string).split('#')
  const content = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  return key === undefined ? content : content[key]
}

/** A value of a case as a connector would hand it over: `$date` and `$day` as text, `$oid` as an ObjectId. */
export function readValue(json: unknown): Value {
  if (Array.isArray(json)) return json.map(readValue)
  if (typeof json !== 'object' || json === null) return json as Value
  const { $date, $day, $oid } = json as Json
  if (typeof $date === 'string') return $date
  if (typeof $day === 'string') return $day
  if (typeof $oid === 'string') return objectId($oid) as Value
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, readValue(member)]))
}

/** JSON with its members in order, so that equal objects have equal texts. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, inner) => {
    if (typeof inner === 'bigint') return String(inner)
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Values without their order and how often they came, as texts. */
export function asSet(values: Iterable<unknown>): string[] {
  return [...new Set([...values].map(canonicalText))].sort()
}

/** A value without the objects and lists in it that hold nothing: no result shows them. */
export function withoutEmpty(value: Value): Value {
  const isEmpty = (inner: Value) => typeof inner === 'object' && inner !== null && Object.keys(inner).length === 0
  if (Array.isArray(value)) return value.map(withoutEmpty).filter((inner) => !isEmpty(inner))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, inner]) => [name, withoutEmpty(inner)] as const)
  return Object.fromEntries(members.filter(([, inner]) => !isEmpty(inner)))
}
