import type { ValueKind } from '@habeas/core'
import type { SqlColumn } from '@habeas/sql'

/** What values of a type are compared and written as. */
export type Family =
  | 'integer'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'string'
  | 'bytes'
  | 'date'
  | 'timestamp'
  | 'datetime'
  | 'time'
  | 'json'
  | 'struct'
  | 'geography'
  | 'other'

/** A field as the service describes it, in a table and in a result. */
export interface SchemaField {
  readonly name?: string
  readonly type?: string
  readonly mode?: string
  readonly fields?: readonly SchemaField[]
  readonly maxLength?: string
  readonly precision?: string
  readonly scale?: string
  readonly collation?: string
  readonly rangeElementType?: { readonly type?: string }
  readonly policyTags?: { readonly names?: readonly string[] }
  readonly dataPolicies?: readonly unknown[]
  readonly generatedColumn?: unknown
}

/** The type of a column, of a member of a STRUCT, or of the elements of an ARRAY. */
export interface LiveType {
  readonly family: Family
  /** The name of the type in GoogleSQL, without ARRAY. */
  readonly name: string
  readonly repeated: boolean
  /** Set where texts are compared without regard to case: then the plain comparison is not exact. */
  readonly collation?: string
  /** Longest text in characters, or most bytes. */
  readonly length?: number
  /** Members of a STRUCT. */
  readonly fields?: readonly LiveField[]
}

export interface LiveField {
  readonly name: string
  readonly type: LiveType
}

export interface LiveColumn extends SqlColumn {
  readonly type: LiveType
}

const names: Readonly<Record<string, readonly [name: string, family: Family]>> = {
  INTEGER: ['INT64', 'integer'],
  INT64: ['INT64', 'integer'],
  FLOAT: ['FLOAT64', 'float'],
  FLOAT64: ['FLOAT64', 'float'],
  BOOLEAN: ['BOOL', 'boolean'],
  BOOL: ['BOOL', 'boolean'],
  NUMERIC: ['NUMERIC', 'decimal'],
  BIGNUMERIC: ['BIGNUMERIC', 'decimal'],
  STRING: ['STRING', 'string'],
  BYTES: ['BYTES', 'bytes'],
  DATE: ['DATE', 'date'],
  TIMESTAMP: ['TIMESTAMP', 'timestamp'],
  DATETIME: ['DATETIME', 'datetime'],
  TIME: ['TIME', 'time'],
  JSON: ['JSON', 'json'],
  RECORD: ['STRUCT', 'struct'],
  STRUCT: ['STRUCT', 'struct'],
  GEOGRAPHY: ['GEOGRAPHY', 'geography'],
}

const kinds: Readonly<Partial<Record<Family, ValueKind>>> = {
  integer: 'integer',
  decimal: 'decimal',
  float: 'float',
  boolean: 'boolean',
  string: 'string',
  bytes: 'bytes',
  date: 'date',
  timestamp: 'timestamp',
  datetime: 'datetime',
  json: 'object',
  struct: 'object',
}

/** The type of a field as the service describes it. Values of a type that is not known are compared as text, and cast from it. */
export function typeOf(field: SchemaField): LiveType {
  const given = field.type ?? 'STRING'
  const element = field.rangeElementType?.type
  const [name, family] = names[given] ?? [element === undefined ? given : `${given}<${element}>`, 'other']
  const length = Number(field.maxLength)
  return {
    family,
    name,
    repeated: field.mode === 'REPEATED',
    ...(field.collation && { collation: field.collation }),
    ...(length > 0 && { length }),
    ...(family === 'struct' && {
      fields: (field.fields ?? []).map((member) => ({ name: member.name ?? '', type: typeOf(member) })),
    }),
  }
}

export function kindOf({ family }: LiveType): ValueKind | undefined {
  return kinds[family]
}

/** Whether a column holds one scalar. */
export function isScalar({ type: { family, repeated } }: Pick<LiveColumn, 'type'>): boolean {
  return !repeated && family !== 'json' && family !== 'struct'
}

/** Whether the service takes texts of the column for equal that differ in case. */
export function isLoose({ type: { family, repeated, collation } }: Pick<LiveColumn, 'type'>): boolean {
  return family === 'string' && !repeated && collation !== undefined
}

/** The type as people read it. */
export function typeText({ name, fields, repeated, length }: LiveType): string {
  const members = fields?.map((member) => `${member.name} ${typeText(member.type)}`).join(', ')
  const plain = members === undefined ? `${name}${length === undefined ? '' : `(${length})`}` : `STRUCT<${members}>`
  return repeated ? `ARRAY<${plain}>` : plain
}
