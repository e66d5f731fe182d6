import { expect } from 'vitest'
import { compileRead } from '../../../sql/src/compile-read.js'
import type { SqlColumn, SqlDialect, SqlTable } from '../../../sql/src/dialect.js'
import { keyOf } from '../../src/execution/find/key-of.js'
import { keySet } from '../../src/execution/find/key-set.js'
import type { Value, ValueKind } from '../../src/model/value.js'
import type { KeyGroup } from '../../src/ports/connector.js'
import { datasetGraph } from '../../src/rules/plan/dataset-graph.js'
import type { PlannedCollection } from '../../src/rules/plan/plan.js'
import { asSet, type Case, readValue } from './bank.js'
import { type DatasetInput, describedDatasets } from './datasets.js'
import { planOf } from './inputs.js'

type Values = Readonly<Record<string, readonly unknown[]>>

export interface QueryInput extends DatasetInput {
  readonly dialect?: string
  readonly collection?: string
  readonly inputs?: readonly Values[] | Values
}

export interface QueryExpected {
  readonly sql?: string | null | readonly (string | null)[]
  /** The predicate of each statement: fields, of which one must hold one of its values. */
  readonly where?: readonly Values[]
  readonly values?: readonly Values[]
  /** Columns that are read where nothing of the collection is targeted. */
  readonly columns_needed?: { readonly 'with entry columns'?: readonly string[] }
}

/** A dialect under test, with the columns it needs to know; `kind` is undefined where the case gives no type. */
export interface QueryDialect<Column extends SqlColumn, Bound> {
  readonly name: string
  readonly dialect: SqlDialect<Column, Bound>
  column(name: string, kind: ValueKind | undefined): Column
}

/** Reads of one collection in a dialect, or in any; writes and other servers are elsewhere. */
export function isReadIn(name: string) {
  return ({ input, expected }: Case<QueryInput, QueryExpected>): boolean => {
    const texts = [expected.sql ?? []].flat()
    const selects = texts.length > 0 && texts.every((text) => !text || /^select/i.test(text))
    const reads = selects || expected.where !== undefined || expected.values !== undefined
    return [name, 'any'].includes(input.dialect ?? 'any') && input.inputs !== undefined && reads
  }
}

/** Writes in a dialect, which no check compares as text. */
export function isErasureIn(name: string) {
  return ({ input, expected }: Case<QueryInput, object>): boolean =>
    input.dialect === name && Object.keys(expected).some((member) => member.includes('delete'))
}

export function queryCheck<Column extends SqlColumn, Bound>({ name, dialect, column }: QueryDialect<Column, Bound>) {
  return ({ input, expected }: Case<QueryInput, QueryExpected>): void => {
    const [dataset = '', ...rest] = (input.collection ?? '').split(':')
    const collection = planOf(input).collections.find(
      ({ address }) => address === input.collection,
    ) as PlannedCollection
    const runs = [input.inputs ?? []].flat() as readonly Values[]
    for (const [at, inputs] of runs.entries()) {
      const bound = new Map<string, Value[]>()
      const recording: SqlDialect<Column, Bound> = {
        ...dialect,
        oneOf(target, keys) {
          const path = [target.column.name, ...target.path].join('.')
          bound.set(path, [...(bound.get(path) ?? []), ...(keys as readonly Value[])])
          return dialect.oneOf(target, keys)
        },
      }
      const groups = groupsOf(collection, inputs)
      const table: SqlTable<Column> = {
        path: [dataset, collection.collection],
        columns: new Map(
          fieldsOf(input, collection.address).map(([field, kind]) => [
            field,
            column(field, kind ?? kindIn(inputs[field])),
          ]),
        ),
      }
      const read = { collection: collection.collection, columns: collection.columns, anyOf: groups }
      const statement = groups.length === 0 ? undefined : compileRead(read, table, recording)
      const wanted = predicateOf(expected, at, inputs)
      expect(setsOf(bound), `${name}, inputs ${at}`).toEqual(setsOf(new Map(Object.entries(wanted))))
      expect(statement === undefined, `${name}, inputs ${at}: no statement`).toBe(Object.keys(wanted).length === 0)
      if (!statement) continue
      const [selected = '', condition = ''] = statement.sql.split(/ from | where /).filter((_, part) => part !== 1)
      expect(statement.sql).toContain(`"${rest.join(':')}"`)
      for (const field of bound.keys()) expect(condition).toContain(`"${field.split('.')[0]}"`)
      expect(condition.split(' or ')).toHaveLength(bound.size)
      for (const each of selectedIn(expected, at)) expect(selected).toContain(`"${each}"`)
      expect(collection.columns.every((each) => selected.includes(`"${each}"`))).toBe(true)
    }
    const needed = expected.columns_needed?.['with entry columns']
    if (needed) expect(readWithoutTarget(collection)).toEqual([...needed].sort())
  }
}

/** The keys of each way into the collection that the inputs hold values for, as a run would ask for them. */
export function groupsOf(collection: PlannedCollection, inputs: Values): KeyGroup[] {
  return collection.entries.flatMap(({ fields }) => {
    const keys = keySet(fields)
    const count = Math.max(...fields.map(({ name }) => inputs[name]?.length ?? 0))
    for (let at = 0; at < count; at++) {
      const values = fields.map(({ name }) => readValue(inputs[name]?.[at] ?? null))
      const key = keyOf(
        values,
        fields,
        fields.map(({ placeholders }) => placeholders),
      )
      if (key !== undefined) keys.add(key)
    }
    return keys.size === 0 ? [] : [{ fields, values: fields.map((_, part) => keys.column(part, 0, keys.size)) }]
  })
}

function fieldsOf(input: QueryInput, address: string): readonly (readonly [string, ValueKind | undefined])[] {
  const fields = datasetGraph(describedDatasets(input)).nodes.get(address)?.fields.values() ?? []
  return [...fields].filter(({ path }) => path.length === 1).map(({ name, kind }) => [name, kind])
}

const kindIn = (values: readonly unknown[] = []): ValueKind =>
  values.length > 0 && values.every((value) => typeof value === 'number') ? 'integer' : 'string'

const setsOf = (values: ReadonlyMap<string, readonly unknown[]>) =>
  Object.fromEntries([...values].map(([field, list]) => [field, asSet(list.map(String))]))

function predicateOf({ where, values, sql }: QueryExpected, at: number, inputs: Values): Values {
  const given = where?.[at] ?? values?.[at]
  if (given) return given
  const [, condition = ''] = (textOf(sql, at) ?? '').split(/\bwhere\b/i)
  const fields = [...condition.matchAll(/"?([\w.]+)"?\s*(?:=|\bin\b)/gi)].map(([, field]) => field as string)
  return Object.fromEntries(fields.map((field) => [field, inputs[field] ?? []]))
}

function selectedIn({ sql }: QueryExpected, at: number): string[] {
  const [, list = ''] = /^select (.*?) from/i.exec(textOf(sql, at) ?? '') ?? []
  return list.split(',').flatMap((each) => each.trim().replaceAll('"', '').split('.').at(-1) || [])
}

const textOf = (sql: QueryExpected['sql'], at: number) =>
  Array.isArray(sql) ? sql[at] : (sql as string | null | undefined)

/** Columns that keys lie in, whatever a policy asks for. */
function readWithoutTarget(collection: PlannedCollection): string[] {
  const kept = collection.read.filter(({ reasons }) => reasons.some((reason) => reason !== 'target'))
  return [...new Set(kept.map(({ field }) => field.split('.')[0] as string))].sort()
}
