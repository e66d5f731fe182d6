import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { objectId, type Value } from '../../src/model/value.js'
import { casesLeftOut, type MemberLeftOut, membersLeftOut } from './left-out.js'
import { overrides } from './overrides.js'
import { watched } from './watched-members.js'

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
  readonly note: string
  readonly expected?: Json
}

/** One run of a case: as it stands, or as an override has it. */
interface Run {
  readonly name: string
  readonly given: Case
}

/** Ids of the cases that this process has registered tests for. */
export const claimed = new Set<string>()

/** The entries of `membersLeftOut` that were needed. */
export const neededExceptions = new Set<MemberLeftOut>()

/**
 * Registers the tests of each case of a kind that lies in the folder. What `overrides` says about a case counts; about a
 * case that it does not know, the folder's own verdicts do. A member of the expectation that the check does not look at
 * fails the test unless `membersLeftOut` says why.
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
  const found = allCases().filter((each) => each.kind === kind && inScope(each as unknown as Case<Input, Expected>))
  describe(kind, () => {
    it('has cases', () => expect(found.length).toBeGreaterThan(0))
    for (const each of found) {
      const reason = casesLeftOut[each.id]
      if (reason !== undefined) {
        it.skip(`${each.id}: ${reason}`, () => {})
        continue
      }
      claimed.add(each.id)
      for (const { name, given } of runsOf(each)) {
        it(`${each.id}: ${name}`, async () => {
          const expected = watched(given.expected)
          await check({ ...given, expected: expected.value } as unknown as Case<Input, Expected>)
          expect(unexcused(kind, expected.unseen()), 'members that nothing compares').toEqual([])
        })
      }
    }
  })
}

function unexcused(kind: string, members: readonly string[]): string[] {
  return members.filter((member) => {
    const fitting = membersLeftOut.filter((each) => each.kind === kind && isAt(each.member, member))
    for (const each of fitting) neededExceptions.add(each)
    return fitting.length === 0
  })
}

/** A star stands for any one name. */
function isAt(pattern: string, member: string): boolean {
  const [wanted, given] = [pattern.split('.'), member.split('.')]
  return wanted.length === given.length && wanted.every((name, at) => name === '*' || name === given[at])
}

/** Says once why nothing runs. */
export function sayWhenAbsent(): void {
  if (folder === '') console.log('The conformance cases are skipped: CONFORMANCE_DIR is not set.')
  else if (!existsSync(join(folder, 'cases'))) throw new Error(`CONFORMANCE_DIR names no folder of cases: ${folder}`)
}

export type StoredCase = Case & { readonly kind: string }

/** Every case of the folder. */
export function allCases(): StoredCase[] {
  return readdirSync(join(folder, 'cases'))
    .filter((name) => name.endsWith('.json') && name !== 'index.json')
    .sort()
    .map((name) => JSON.parse(readFileSync(join(folder, 'cases', name), 'utf8')) as StoredCase)
}

function runsOf(given: StoredCase): Run[] {
  const override = overrides[given.id]
  if (!override) return [judged(given)]
  const { input, expected, asGiven, heading, reason } = override
  const changed = typeof input === 'function' ? input(given.input) : input
  const whole = typeof expected === 'function' ? expected(given.expected) : expected
  const overridden = {
    name: `by '${heading}': ${reason}`,
    given: { ...given, input: { ...given.input, ...changed }, expected: whole ?? given.expected },
  }
  if (asGiven === undefined) return [overridden]
  const stands = typeof asGiven === 'function' ? asGiven(given.input) : asGiven
  return [{ name: `as given, by '${heading}'`, given: { ...given, expected: stands } }, overridden]
}

function judged(given: StoredCase): Run {
  const verdict = readVerdicts().find(({ id }) => id === given.id)
  if (!verdict || verdict.verdict === 'KEEP') return { name: given.title, given }
  if (!verdict.expected)
    throw new Error(`${given.id} is not kept as it is, and no override says what holds: ${verdict.note}`)
  return { name: 'as its verdict has it', given: { ...given, expected: verdict.expected } }
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
