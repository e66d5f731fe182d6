import type { ActionNeeded } from '../../model/privacy-request.js'
import { isTypedText, type Value } from '../../model/value.js'
import type { KeyField, KeyGroup, Read, Row } from '../../ports/connector.js'
import { type Document, tuplesAt } from '../../rules/erase/filter-elements.js'
import type { ManualRow } from '../../rules/manual/read-manual-rows.js'
import { keyOf } from '../find/key-of.js'
import { keySet } from '../find/key-set.js'

/** One entry in the form in which people get it: rows that hold one of the tuples in `fields`. */
interface AskedGroup {
  readonly fields: readonly KeyField[]
  readonly when: NonNullable<KeyGroup['when']>
  readonly tuples: readonly (readonly Value[])[]
}

/** A read in the form in which people get it. Equal reads make equal asks, in any order of their keys. */
export interface ManualAsk {
  readonly columns: readonly string[]
  readonly groups: readonly AskedGroup[]
}

/** The JSON of an ask. Equal asks have equal texts. */
export function askText(value: ManualAsk | readonly Value[]): string {
  return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
}

export function askOf({ columns, anyOf }: Pick<Read, 'columns' | 'anyOf'>): ManualAsk {
  const groups = new Map<string, Omit<AskedGroup, 'tuples'> & { readonly tuples: Map<string, readonly Value[]> }>()
  for (const { fields, when = [], values } of anyOf) {
    const name = JSON.stringify([fields, when])
    const group = groups.get(name) ?? { fields, when, tuples: new Map() }
    groups.set(name, group)
    for (let at = 0; at < (values[0]?.length ?? 0); at++) {
      const tuple = values.map((column) => column[at] as Value)
      // A field without a type may hold a number or its text. People are asked once for both, by the number.
      const name = askText(tuple.map((value, part) => (fields[part]?.kind === undefined ? textOf(value) : value)))
      const known = group.tuples.get(name)
      if (!known || askText(known) < askText(tuple)) group.tuples.set(name, tuple)
    }
  }
  return { columns, groups: sorted(groups).map((group) => ({ ...group, tuples: sorted(group.tuples) })) }
}

const sorted = <Item>(named: ReadonlyMap<string, Item>): Item[] =>
  [...named].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, item]) => item)

/** The number of look-ups that an ask needs. */
export function lookUps({ groups }: ManualAsk): number {
  return groups.reduce((sum, { tuples }) => sum + tuples.length, 0)
}

/** The actions that people have to take: the values to look rows up by, and the columns to return. */
export function actionNeededOf({ columns, groups }: ManualAsk): ActionNeeded[] {
  return groups.flatMap(({ fields, when, tuples }) => {
    const fixed = when.map(({ path, equals }): [string, readonly Value[]] => [path.join('.'), [equals]])
    const names = fields.map(({ path }) => path.join('.'))
    // Several fields match together. A list of values for each field would ask for every combination.
    const located =
      names.length === 1
        ? [[[names[0] as string, tuples.map(([value]) => value as Value)] as const]]
        : tuples.map((tuple) => names.map((name, at) => [name, [tuple[at] as Value]] as const))
    return located.map((locators) => ({
      locators: Object.fromEntries([...locators, ...fixed]),
      get: [...columns],
      update: null,
    }))
  })
}

/** Turns rows that people gave for an ask into rows as a connector returns them. */
export function manualRowReader(ask: ManualAsk) {
  const asked = askedValues(ask)
  const tests = ask.groups.map(testOf)
  /** JSON has fewer types than databases. In a field without a type, a value with the text of an asked value is that value. */
  const adopted = (row: ManualRow, column: string): Value | undefined => {
    const value = Object.hasOwn(row, column) ? row[column] : undefined
    return typeof value === 'object' ? value : (asked.get(column)?.get(String(value)) ?? value)
  }
  return {
    /** Whether a row holds a value that was asked for. The run would silently leave out any other row. */
    meets(row: ManualRow): boolean {
      const whole = Object.fromEntries(Object.keys(row).map((column) => [column, adopted(row, column)]))
      return tests.some((test) => test(whole))
    },
    read: (row: ManualRow): Row => ask.columns.map((column) => adopted(row, column)),
  }
}

const textOf = (value: Value) => (isTypedText(value) ? value.text : String(value))

/** Values of fields without a type, by column and text. */
function askedValues({ groups }: ManualAsk): ReadonlyMap<string, ReadonlyMap<string, Value>> {
  const asked = new Map<string, Map<string, Value>>()
  for (const { fields, tuples } of groups) {
    for (const [at, { path, kind }] of fields.entries()) {
      const [column, below] = path
      if (column === undefined || below !== undefined || kind !== undefined) continue
      const texts = asked.get(column) ?? new Map<string, Value>()
      asked.set(column, texts)
      for (const tuple of tuples) texts.set(textOf(tuple[at] as Value), tuple[at] as Value)
    }
  }
  return asked
}

function testOf({ fields, when, tuples }: AskedGroup): (row: Document) => boolean {
  const placeholders = fields.map(() => [])
  const keys = keySet(fields)
  for (const tuple of tuples) {
    const key = keyOf(tuple, fields, placeholders)
    if (key !== undefined) keys.add(key)
  }
  const paths = fields.map(({ path }) => path)
  const holds = (values: readonly Value[]) => {
    const key = keyOf(values, fields, placeholders)
    return key !== undefined && keys.find(key) !== -1
  }
  return (row) =>
    when.every(({ path, equals }) => tuplesAt(row, [path]).some(({ values: [value] }) => `${value}` === `${equals}`)) &&
    tuplesAt(row, paths).some(({ values }) => holds(values))
}
