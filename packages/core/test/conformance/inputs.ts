import { expect } from 'vitest'
import { bindable, keyOf } from '../../src/execution/find/key-of.js'
import { type KeyReader, keyReader } from '../../src/execution/find/key-reader.js'
import { keySet } from '../../src/execution/find/key-set.js'
import { walkFields } from '../../src/model/dataset.js'
import type { Value } from '../../src/model/value.js'
import type { Row } from '../../src/ports/connector.js'
import type { Document } from '../../src/rules/erase/filter-elements.js'
import { accessPlan } from '../../src/rules/plan/access-plan.js'
import type { Plan, PlannedCollection } from '../../src/rules/plan/plan.js'
import type { PlannedField } from '../../src/rules/plan/planned-field.js'
import { asSet, type Case, type Json, readValue } from './bank.js'
import { type DatasetInput, describedDatasets, everything } from './datasets.js'

type Values = Readonly<Record<string, readonly unknown[]>>

interface Input extends DatasetInput {
  readonly cases?: readonly { readonly row: Json; readonly path: readonly string[] }[]
  readonly collection?: string
  readonly upstream_rows?: Readonly<Record<string, readonly Json[]>>
  readonly inputs?: Values
}

interface Expected {
  readonly values?: readonly (readonly unknown[])[]
  readonly inputs?: Values
  /** For each entry field the values that its elements are kept for; null keeps all. */
  readonly element_match?: Readonly<Record<string, readonly unknown[] | null>>
}

const root = '__ROOT__:__ROOT__'
const grouped = 'fidesops_grouped_inputs'

export function checkInputs({ input, expected }: Case<Input, Expected>): void {
  for (const [at, { row, path }] of (input.cases ?? []).entries()) {
    expect(asSet(valuesAlong(row, path)), `case ${at}`).toEqual(asSet(expected.values?.[at] ?? []))
  }
  if (input.collection === undefined) return
  const plan = planOf(input, Object.keys(input.upstream_rows?.[root]?.[0] ?? {}))
  const collection = plan.collections.find(({ address }) => address === input.collection) as PlannedCollection
  if (input.upstream_rows) {
    const groups = (expected.inputs?.[grouped] ?? []) as readonly Values[]
    checkGathered(gathered(plan, collection, input.upstream_rows), expected.inputs ?? {}, groups)
  }
  for (const [name, kept] of Object.entries(expected.element_match ?? {})) {
    const field = collection.entries.flatMap(({ fields }) => fields).find((each) => each.name === name) as PlannedField
    expect(field.filteredDepth < field.path.length, `${name} keeps all elements`).toBe(kept === null)
    const keys = (input.inputs?.[name] ?? []).map((value) => keyOf([readValue(value)], [field], [[]]))
    if (kept) expect(asSet(keys.map((key) => bindable(field.kind, String(key))))).toEqual(asSet(kept.map(readValue)))
  }
}

/** Every identity the datasets know enters, so that all of them is planned; the given ones are one object. */
export function planOf(input: DatasetInput, given: readonly string[] = []): Plan {
  const datasets = describedDatasets(input)
  const fields = datasets.flatMap(({ dataset }) => dataset.collections.flatMap((each) => [...walkFields(each)]))
  const known = new Set(fields.flatMap(({ field }) => field.service_meta.identity ?? []))
  const others = [...known].filter((property) => !given.includes(property)).map((property) => [property])
  return accessPlan({ datasets, identities: [given, ...others].filter((each) => each.length > 0), targets: everything })
}

interface Gathered {
  readonly fields: readonly PlannedField[]
  /** Tuples in the order of `fields`. */
  readonly tuples: readonly (readonly Value[])[]
}

/** What the engine would ask a collection for, given rows of those before it. */
function gathered(plan: Plan, collection: PlannedCollection, upstream: Values): readonly Gathered[] {
  const sets = collection.entries.map(({ fields }) => keySet(fields))
  for (const [address, rows] of Object.entries(upstream)) {
    const source = plan.collections.find((each) => each.address === address)
    for (const link of source?.links ?? []) {
      if (link.to !== collection.address) continue
      const read = keyReader(source as PlannedCollection, link.fields, collection.entries[link.entry]?.fields)
      for (const row of rows) readRow(source as PlannedCollection, row, read, (key) => sets[link.entry]?.add(key))
    }
  }
  const given = (upstream[root]?.[0] ?? {}) as Record<string, Value>
  for (const seed of collection.identities) {
    const fields = collection.entries[seed.entry]?.fields as readonly PlannedField[]
    const key = keyOf(
      [given[seed.property]],
      fields,
      fields.map(({ placeholders }) => placeholders),
    )
    if (key !== undefined) sets[seed.entry]?.add(key)
  }
  return collection.entries.map(({ fields }, entry) => {
    const keys = sets[entry] as ReturnType<typeof keySet>
    const columns = fields.map((_, part) => [...keys.column(part, 0, keys.size)])
    const tuples = Array.from({ length: keys.size }, (_, at) => columns.map((column) => column[at] as Value))
    return { fields, tuples }
  })
}

function readRow(collection: PlannedCollection, row: unknown, read: KeyReader, found: Parameters<KeyReader>[2]): void {
  const document = readValue(row) as Document
  read(collection.columns.map((column) => document[column]) as Row, undefined, found)
}

/** Values of single fields as sets; where fields must match together, the tuples as the expected groups hold them. */
function checkGathered(found: readonly Gathered[], expected: Values, groups: readonly Values[]): void {
  const single = new Map<string, Value[]>()
  for (const { fields, tuples } of found) {
    if (fields.length > 1 && groups.length > 0) {
      const wanted = groups.map((group) => fields.map(({ name }) => group[name]?.[0]))
      expect(asSet(tuples)).toEqual(asSet(wanted.map(readValue)))
      continue
    }
    for (const [part, { name }] of fields.entries()) {
      const values = tuples.map((tuple) => tuple[part] as Value)
      single.set(name, [...(single.get(name) ?? []), ...values])
    }
  }
  const wanted = new Map(Object.entries(expected).filter(([name]) => name !== grouped))
  const together = new Set(
    found.filter(({ fields }) => fields.length > 1).flatMap(({ fields }) => fields.map(({ name }) => name)),
  )
  for (const name of new Set([...wanted.keys(), ...single.keys()])) {
    if (groups.length > 0 && (together.has(name) || !wanted.has(name))) continue
    const isTyped = found.some(({ fields }) => fields.some((field) => field.name === name && field.kind !== undefined))
    const values = (wanted.get(name) ?? []).map(readValue)
    // A field without a type is asked for a number as such and as text: the case names one of them.
    const asked = (single.get(name) ?? []).filter((value) => isTyped || !isOtherForm(value, values as Value[]))
    expect(asSet(asked), name).toEqual(asSet(values))
  }
}

function isOtherForm(value: Value, wanted: readonly Value[]): boolean {
  return !wanted.includes(value) && wanted.some((each) => String(each) === String(value))
}

function valuesAlong(row: Json, path: readonly string[]): Value[] {
  const field: PlannedField = {
    name: path.join('.'),
    path,
    caseInsensitive: false,
    placeholders: [],
    filteredDepth: path.length,
  }
  const columns = Object.keys(row)
  const collection = { columns, arrays: true } as unknown as PlannedCollection
  const found: Value[] = []
  readRow(collection, row, keyReader(collection, [field]), (key) => found.push(bindable(undefined, String(key))))
  return found
}
