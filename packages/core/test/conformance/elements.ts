import { expect } from 'vitest'
import type { Value } from '../../src/model/value.js'
import { type Document, type ElementEntry, filterElements, tuplesAt } from '../../src/rules/erase/filter-elements.js'
import { type Case, canonicalText, type Json, readValue, sample } from './bank.js'

type Query = Readonly<Record<string, readonly unknown[] | null>>

interface Input {
  readonly cases?: readonly {
    readonly row: Json | string
    readonly path?: readonly string[]
    readonly only?: readonly unknown[]
    readonly query?: Query
  }[]
  readonly row?: Json | string
  readonly query?: Query
}

interface Expected {
  readonly paths?: readonly (readonly (readonly (string | number)[])[])[]
  readonly row?: Json
}

/** What the ancestor puts in the place of an element that stays as it is. */
const placeholder = 'FIDESOPS_DO_NOT_MASK'

export function checkElements({ input, expected }: Case<Input, Expected>): void {
  for (const [at, { row, path = [], only = [], query }] of (input.cases ?? []).entries()) {
    const queries = query
      ? Object.entries(query).map(([name, values]) => [name.split('.'), values] as const)
      : [[path, only] as const]
    const found = queries.flatMap(([way, values]) => matchedPaths(documentOf(row), way, values ?? []))
    expect(sorted(found), `case ${at}`).toEqual(sorted(expected.paths?.[at] ?? []))
  }
  if (input.row !== undefined) {
    const entries = Object.entries(input.query ?? {}).map(([name, values]) => entryOf(name, values))
    const { document } = filterElements(documentOf(input.row), entries)
    expect(canonicalText(document)).toBe(canonicalText(withoutPlaceholders(readValue(expected.row))))
  }
}

function documentOf(row: Json | string): Document {
  return readValue(typeof row === 'string' ? sample(row) : row) as Document
}

function amongst(values: readonly unknown[]): (value: Value) => boolean {
  const texts = new Set(values.map((value) => canonicalText(readValue(value))))
  return (value) => texts.has(canonicalText(value))
}

/** No values: every element counts. */
function entryOf(name: string, values: readonly unknown[] | null): ElementEntry {
  const isWanted = amongst(values ?? [])
  return {
    fields: [{ path: name.split('.'), filteredDepth: values === null ? 0 : name.split('.').length }],
    says: ([value]) => (value !== undefined && isWanted(value) ? 'subject' : 'other'),
  }
}

function matchedPaths(document: Document, path: readonly string[], values: readonly unknown[]): (string | number)[][] {
  const isWanted = amongst(values)
  return tuplesAt(document, [path])
    .filter((tuple) => isWanted(tuple.values[0] as Value))
    .map(({ marks }) => {
      const names = [...path]
      const arrays = [...marks]
      const way: (string | number)[] = []
      for (let value: unknown = document; typeof value === 'object' && value !== null; ) {
        const step = Array.isArray(value) ? (arrays.shift()?.index as number) : (names.shift() as string)
        way.push(step)
        value = (value as Record<string | number, unknown>)[step]
      }
      return way
    })
}

const sorted = (paths: readonly (readonly (string | number)[])[]) => paths.map((path) => JSON.stringify(path)).sort()

function withoutPlaceholders(value: Value): Value {
  if (Array.isArray(value)) return value.filter((element) => element !== placeholder).map(withoutPlaceholders)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutPlaceholders(member)]))
}
