import type { Notices, Stored, Written } from '@habeas/core'
import * as z from 'zod'
import { type JsonSchema, jsonSchema, namedSchema, type Schema, sentJsonSchema } from '../schema.js'
import { findingSchema, warningSchema } from './finding-schema.js'

/** The schemas of one kind of document of the data model, whose names are the specification's already. */
export interface DocumentWire<Document, Noticed extends Notices = Notices> {
  /** As it is sent. Its answer may be changed and sent back. */
  readonly sent: Schema<Record<string, unknown>>
  /** As it is sent to change what is there: nothing is required but a key, or a name to derive it from. */
  readonly patch: Schema<Record<string, unknown>>
  readonly stored: Schema<Stored<Document>>
  readonly written: Schema<Written<Document, Noticed>>
}

/** What every write says beside the resource. */
const notices = {
  findings: jsonSchema(z.array(findingSchema), 'output'),
  warnings: jsonSchema(z.array(warningSchema), 'output'),
}

const time: JsonSchema = { type: 'string', format: 'date-time' }

/** `extra`: read-only members that only answers have; `more`: those that only answers to a write have. */
export function documentWire<Document, Noticed extends Notices = Notices>(
  name: string,
  schema: z.ZodType,
  extra: Readonly<Record<string, JsonSchema>> = {},
  more: Readonly<Record<string, JsonSchema>> = {},
): DocumentWire<Document, Noticed> {
  const kept = { ...extra, created_at: time, updated_at: time }
  const noticed = { ...notices, ...more }
  const readOnly = Object.fromEntries(
    Object.keys({ ...kept, ...noticed }).map((member) => [member, { readOnly: true }]),
  )
  const sent = () => {
    const { properties, ...json } = sentJsonSchema(schema)
    return { ...json, properties: { ...(properties as JsonSchema), ...readOnly } }
  }
  return {
    sent: namedSchema(`${name}Input`, sent),
    patch: namedSchema(`${name}Patch`, () => {
      const { required: _, ...json }: JsonSchema = sent()
      return json
    }),
    stored: namedSchema(name, () => answeredDocument(schema, kept)),
    written: namedSchema(`${name}Written`, () => answeredDocument(schema, { ...kept, ...noticed })),
  }
}

/** The schema of an answer: members with defaults are always there. */
export function answeredDocument(schema: z.ZodType, extra: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const json = jsonSchema(schema, 'input') as { properties?: Record<string, JsonSchema>; required?: string[] }
  const properties = { ...json.properties, ...extra }
  const filledIn = Object.entries(properties).flatMap(([name, member]) => ('default' in member ? [name] : []))
  const keys = ['service_key', 'name'].filter((name) => name in properties)
  const required = [...new Set([...(json.required ?? []), ...filledIn, ...keys, ...Object.keys(extra)])]
  return { ...json, properties, required }
}
