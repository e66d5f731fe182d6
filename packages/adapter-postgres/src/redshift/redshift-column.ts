import type { ValueKind } from '@habeas/core'
import type { ListedColumn, SqlColumn } from '@habeas/sql'

/** How values of a type travel and are compared. Values of `other` are read, and no row is looked up by them. */
export type Family =
  | 'integer'
  | 'decimal'
  | 'single'
  | 'double'
  | 'boolean'
  | 'text'
  | 'padded'
  | 'date'
  | 'timestamp'
  | 'instant'
  | 'bytes'
  | 'document'
  | 'other'

/** A live column, as far as statements over it must know it. */
export interface RedshiftColumn extends SqlColumn {
  readonly family: Family
  /** What a parameter is cast to. Without a length the server would cut texts off, and without a scale round numbers. */
  readonly cast: string
  /** Digits after the point of a decimal, and bits of an integer. */
  readonly scale: number
}

/** What the catalogue says of a column. */
export interface ListedRedshiftColumn extends ListedColumn {
  readonly scale: number | null
}

/** The longest text of a column in bytes, unless its type says more. */
export const mostTextBytes = 65_535

const types: Readonly<Record<string, readonly [family: Family, kind?: ValueKind, bits?: number]>> = {
  smallint: ['integer', 'integer', 16],
  integer: ['integer', 'integer', 32],
  bigint: ['integer', 'integer', 64],
  numeric: ['decimal', 'decimal'],
  real: ['single', 'float'],
  'double precision': ['double', 'float'],
  boolean: ['boolean', 'boolean'],
  'character varying': ['text', 'string'],
  text: ['text', 'string'],
  character: ['padded', 'string'],
  bpchar: ['padded', 'string'],
  date: ['date', 'date'],
  'timestamp without time zone': ['timestamp', 'datetime'],
  'timestamp with time zone': ['instant', 'timestamp'],
  'binary varying': ['bytes', 'bytes'],
  varbyte: ['bytes', 'bytes'],
  super: ['document', 'object'],
}

export function redshiftColumn({
  type,
  scale,
  length,
}: Pick<ListedRedshiftColumn, 'type' | 'scale' | 'length'>): Omit<RedshiftColumn, 'name'> {
  const [family, kind, bits] = types[type.replace(/\(.*$/, '').toLowerCase()] ?? (['other'] as const)
  const digits = bits ?? scale ?? 0
  return { ...(kind && { kind }), family, scale: digits, cast: castOf(family, digits, length ?? 0) }
}

function castOf(family: Family, scale: number, length: number): string {
  switch (family) {
    case 'integer':
      return 'bigint'
    case 'decimal':
      return `decimal(38, ${scale})`
    case 'single':
      return 'real'
    case 'double':
      return 'double precision'
    case 'instant':
      return 'timestamptz'
    case 'boolean':
    case 'date':
    case 'timestamp':
      return family
    default:
      return `varchar(${Math.max(length, mostTextBytes)})`
  }
}
