import type { Page } from '@habeas/core'
import * as z from 'zod'

/** A JSON Schema, draft 2020-12. */
export type JsonSchema = { [member: string]: unknown }

/**
 * The shape of a body: what describes it, and in types what it holds. A name makes it a component of the OpenAPI
 * document, which is then referred to.
 */
export interface Schema<Value = unknown> {
  readonly name?: string
  readonly json: () => JsonSchema
  /** Types only: there is no value. */
  readonly value?: Value
  /** Where a single item and a list are answered with different statuses. */
  readonly answers?: { readonly one: Schema; readonly many: Schema }
}

/** A value that never changes. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Member in keyof Value]: Frozen<Value[Member]> }
    : Value

/** As zod describes it. `input`: what is taken, where defaults may be left out; `output`: what is answered. */
export function zodSchema<Type extends z.ZodType>(
  schema: Type,
  { name, io = 'output' }: { name?: string; io?: 'input' | 'output' } = {},
): Schema<Frozen<z.output<Type>>> {
  return { ...(name !== undefined && { name }), json: () => jsonSchema(schema, io) }
}

/** A schema without zod: `build` makes the JSON Schema. */
export function namedSchema<Value>(name: string, build: () => JsonSchema): Schema<Value> {
  return { name, json: build }
}

export function listOf<Value>(schema: Schema<Value>): Schema<Value[]> {
  return { json: () => ({ type: 'array', items: placed(schema) }) }
}

/** One page of a list. */
export function pageOf<Value>(schema: Schema<Value>): Schema<{
  readonly items: readonly Value[]
  readonly total: number
  readonly page: number
  readonly size: number
  readonly pages: number
}> {
  const count = { type: 'integer', minimum: 0 }
  return {
    json: () => ({
      type: 'object',
      properties: {
        items: { type: 'array', items: placed(schema) },
        total: count,
        page: count,
        size: count,
        pages: count,
      },
      required: ['items', 'total', 'page', 'size', 'pages'],
      additionalProperties: false,
    }),
  }
}

/** A page of the model as a page of the wire. */
export function mapped<From, To>(page: Page<From>, toWire: (from: From) => To): Page<To> {
  return { ...page, items: page.items.map((item) => toWire(item)) }
}

/** What a list of items is answered with. */
export interface Bulk<Value> {
  readonly succeeded: readonly Value[]
  readonly failed: readonly { readonly message: string; readonly errors?: readonly unknown[]; readonly data: unknown }[]
}

export function bulkOf<Value>(schema: Schema<Value>): Schema<Bulk<Value>> {
  const failed = {
    type: 'object',
    properties: { message: { type: 'string' }, errors: { type: 'array', items: issueSchema }, data: {} },
    required: ['message', 'data'],
    additionalProperties: false,
  }
  return {
    json: () => ({
      type: 'object',
      properties: { succeeded: { type: 'array', items: placed(schema) }, failed: { type: 'array', items: failed } },
      required: ['succeeded', 'failed'],
      additionalProperties: false,
    }),
  }
}

/** One item gives one answer. A list gives an answer for each of its items. */
export function oneOrBulk<Value>(one: Schema<Value>): Schema<Value | Bulk<Value>> {
  const many = bulkOf(one)
  return { ...eitherOf(one, many), answers: { one, many } }
}

export function eitherOf<First, Second>(first: Schema<First>, second: Schema<Second>): Schema<First | Second> {
  return { json: () => ({ anyOf: [placed(first), placed(second)] }) }
}

/** One bad place of what a caller sent. */
export const issueSchema: JsonSchema = {
  type: 'object',
  properties: {
    loc: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    msg: { type: 'string' },
    type: { type: 'string' },
    file: { type: 'string' },
    line: { type: 'integer', minimum: 1 },
    column: { type: 'integer', minimum: 1 },
  },
  required: ['loc', 'msg', 'type'],
  additionalProperties: false,
}

/** A place for a schema inside of another: the OpenAPI document puts a reference there when it has a name. */
export function placed(schema: Schema): JsonSchema {
  return schema.name === undefined ? schema.json() : { [placeholder]: schema }
}

/** Marks where a named schema stands; see `placed`. */
export const placeholder = '$schema:named'

export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...json } = z.toJSONSchema(schema, { io, unrepresentable: 'any', target: 'draft-2020-12' })
  return json
}

/** The schema of what may be sent: null stands for a member that is left out. */
export function sentJsonSchema(schema: z.ZodType): JsonSchema {
  return withNulls(jsonSchema(schema, 'input')) as JsonSchema
}

function withNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withNulls)
  if (typeof value !== 'object' || value === null) return value
  const copy: JsonSchema = Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNulls(member)]))
  if (copy['type'] !== 'object' || copy['properties'] === undefined) return copy
  const needed = new Set(copy['required'] as string[] | undefined)
  const properties = Object.entries(copy['properties'] as Record<string, JsonSchema>)
  return {
    ...copy,
    properties: Object.fromEntries(
      properties.map(([name, member]) => [name, needed.has(name) ? member : orNull(member)]),
    ),
  }
}

function orNull({ default: omitted, ...schema }: JsonSchema): JsonSchema {
  if (Object.keys(schema).length === 0) return schema
  const { type, enum: choices, const: only, anyOf } = schema
  const isPlain = typeof type === 'string' && choices === undefined && only === undefined
  return {
    ...(omitted !== undefined && { default: omitted }),
    ...(isPlain
      ? { ...schema, type: [type, 'null'] }
      : Array.isArray(anyOf)
        ? { ...schema, anyOf: [...anyOf, { type: 'null' }] }
        : { anyOf: [schema, { type: 'null' }] }),
  }
}
