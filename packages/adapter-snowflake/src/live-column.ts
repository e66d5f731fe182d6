import type { ValueKind } from '@habeas/core'
import type { ListedColumn, SqlColumn } from '@habeas/sql'

/** How values of a type travel and are compared. */
export type Family =
  | 'number'
  | 'float'
  | 'boolean'
  | 'string'
  | 'date'
  | 'time'
  | 'timestamp'
  | 'bytes'
  | 'document'
  | 'other'

/** A live column, as far as statements over it must know it. */
export interface SnowflakeColumn extends SqlColumn {
  readonly family: Family
  /** What a text is cast to for the column. */
  readonly cast: string
  /** Digits after the point of a number. */
  readonly scale: number
  /** The collation of a column that compares text by one, which may take texts for equal that are not. */
  readonly collation?: string
  /** True where texts are compared as the numbers that they are. */
  readonly ofTexts?: true
}

/**
 * A column of texts as one of numbers, which whole numbers are compared with. A text that is none equals no number. One digit
 * after the point tells `5.4` from 5 and leaves room for whole numbers of 37 digits.
 */
export function asNumber({ collation: _, ...column }: SnowflakeColumn): SnowflakeColumn {
  return { ...column, kind: 'decimal', family: 'number', cast: 'number(38, 1)', scale: 1, ofTexts: true }
}

/** What the information schema says of a column. */
export interface ListedSnowflakeColumn extends ListedColumn {
  readonly scale: number | null
  readonly collation: string | null
}

const families: Readonly<Record<string, Family>> = {
  NUMBER: 'number',
  FLOAT: 'float',
  BOOLEAN: 'boolean',
  TEXT: 'string',
  DATE: 'date',
  TIME: 'time',
  TIMESTAMP_NTZ: 'timestamp',
  TIMESTAMP_LTZ: 'timestamp',
  TIMESTAMP_TZ: 'timestamp',
  BINARY: 'bytes',
  VARIANT: 'document',
  OBJECT: 'document',
  ARRAY: 'document',
  MAP: 'document',
}

const casts: Readonly<Record<string, string>> = {
  TEXT: 'varchar',
}

const kinds: Readonly<Partial<Record<Family, ValueKind>>> = {
  float: 'float',
  boolean: 'boolean',
  string: 'string',
  bytes: 'bytes',
  date: 'date',
  timestamp: 'timestamp',
  document: 'object',
}

export function liveColumn({ type, scale, collation }: ListedSnowflakeColumn) {
  const [name = ''] = type.toUpperCase().split('(')
  const family = families[name] ?? 'other'
  const digits = scale ?? 0
  const kind =
    family === 'number' ? (digits === 0 ? 'integer' : 'decimal') : name === 'TIMESTAMP_NTZ' ? 'datetime' : kinds[family]
  const cast = family === 'number' ? `number(38, ${digits})` : (casts[name] ?? name.toLowerCase())
  return {
    ...(kind && { kind }),
    family,
    cast,
    scale: digits,
    ...(collation && { collation }),
  }
}
