import type { ValueKind } from '@habeas/core'
import type { ListedColumn, SqlColumn } from '@habeas/sql'

/**
 * How values of a type travel and are compared. `other` is handed over as the server writes it, and never a key. `numeral` is a
 * column of texts that is compared by the whole numbers that these are.
 */
export type Family =
  | 'integer'
  | 'boolean'
  | 'decimal'
  | 'single'
  | 'double'
  | 'text'
  | 'numeral'
  | 'uuid'
  | 'date'
  | 'datetime'
  | 'time'
  | 'bytes'
  | 'document'
  | 'other'

/** A live column, as far as statements over it must know it. */
export interface MssqlColumn extends SqlColumn {
  readonly family: Family
  /** The name of the type, without its size. */
  readonly base: string
  /** The type with its size, as a statement writes it. */
  readonly type: string
  readonly precision: number
  readonly scale: number
  /** What texts are compared by. Null where the type has none. */
  readonly collation: string | null
  /** The code page of texts of one byte for each character. Null for texts that hold every character. */
  readonly codePage: number | null
  /** True when the collation takes any two texts for equal that differ only in the case of ASCII letters. */
  readonly folds: boolean
}

/** What the catalogue of the server says of a column. `bytes` is -1 where the type has no limit. */
export interface MssqlListedColumn extends ListedColumn {
  readonly base: string
  readonly bytes: number
  readonly precision: number
  readonly scale: number
  readonly collation: string | null
  readonly codePage: number | null
  readonly json: boolean
}

const families: Readonly<Record<string, Family>> = {
  ...{ tinyint: 'integer', smallint: 'integer', int: 'integer', bigint: 'integer', bit: 'boolean' },
  ...{ decimal: 'decimal', numeric: 'decimal', money: 'decimal', smallmoney: 'decimal' },
  ...{ real: 'single', float: 'double', uniqueidentifier: 'uuid', json: 'document' },
  ...{ char: 'text', varchar: 'text', nchar: 'text', nvarchar: 'text', text: 'text', ntext: 'text' },
  ...{ date: 'date', datetime: 'datetime', datetime2: 'datetime', smalldatetime: 'datetime' },
  ...{ datetimeoffset: 'datetime', time: 'time' },
  ...{ binary: 'bytes', varbinary: 'bytes', image: 'bytes', timestamp: 'bytes' },
}

const kinds: Readonly<Partial<Record<Family, ValueKind>>> = {
  ...{ integer: 'integer', boolean: 'boolean', decimal: 'decimal', single: 'float', double: 'float' },
  ...{ text: 'string', uuid: 'uuid', date: 'date', datetime: 'datetime', bytes: 'bytes', document: 'object' },
}

/** Collations of which it is known that they ignore the case of ASCII letters in every text: others have contractions. */
const folding = /^(?:SQL_)?Latin1_General_.*CI_/i

/** Returns what statements need to know of a listed column. */
export function liveColumn(listed: MssqlListedColumn) {
  const { base, precision, scale, collation, codePage, json } = listed
  const family: Family = json ? 'document' : (families[base] ?? 'other')
  const kind = base === 'datetimeoffset' ? 'timestamp' : kinds[family]
  const isNarrow = /^(?:var)?char$|^text$/.test(base)
  return {
    ...(kind && { kind }),
    ...{ family, base, type: typeOf(listed), precision, scale },
    collation,
    codePage: isNarrow ? codePage : null,
    folds: collation !== null && folding.test(collation),
    ...(family === 'text' && collation !== null && !/_BIN2?$/i.test(collation) && { comparesLoosely: true as const }),
  }
}

/** Returns the type as a statement writes it. */
export function typeOf({
  base,
  bytes,
  precision,
  scale,
}: Pick<MssqlListedColumn, 'base' | 'bytes' | 'precision' | 'scale'>) {
  switch (base) {
    case 'decimal':
    case 'numeric':
      return `${base}(${precision}, ${scale})`
    case 'datetime2':
    case 'datetimeoffset':
    case 'time':
      return `${base}(${scale})`
    case 'nchar':
    case 'nvarchar':
      return `${base}(${bytes < 0 ? 'max' : bytes / 2})`
    case 'char':
    case 'varchar':
    case 'binary':
    case 'varbinary':
      return `${base}(${bytes < 0 ? 'max' : bytes})`
    default:
      return base
  }
}

/** Returns whether a foreign key from one column to the other may take values for equal that read differently. */
export function isLoose(column: MssqlColumn, to: MssqlColumn): boolean {
  return to.family === 'text' || column.family !== to.family || column.scale !== to.scale || column.base !== to.base
}

/** Returns how many characters a type of texts has room for, or undefined where it has no limit. */
export function lengthOfType(type: string): number | undefined {
  const [, length] = /char\((\d+)\)$/.exec(type) ?? []
  return length === undefined ? undefined : Number(length)
}
