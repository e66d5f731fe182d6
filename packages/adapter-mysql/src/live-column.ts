import type { Column, ValueKind } from '@habeas/core'
import type { ListedColumn, SqlColumn } from '@habeas/sql'

/** How values of a type travel and are compared. */
export type Family =
  | 'integer'
  | 'year'
  | 'bit'
  | 'boolean'
  | 'decimal'
  | 'single'
  | 'double'
  | 'text'
  | 'uuid'
  | 'inet4'
  | 'inet6'
  | 'date'
  | 'datetime'
  | 'timestamp'
  | 'time'
  | 'bytes'
  | 'vector'
  | 'geometry'
  | 'document'
  /** A column of documents that is read and compared as their texts. */
  | 'documentText'

/** A live column, as far as statements over it must know it. */
export interface MysqlColumn extends SqlColumn {
  readonly family: Family
  readonly unsigned: boolean
  /** Digits before and after the point of a decimal, and bits of a BIT. */
  readonly precision: number
  readonly scale: number
  /** What texts are compared by. Null where the type has none. */
  readonly charset: string | null
  readonly collation: string | null
  /** True when the collation takes any two texts for equal that differ only in the case of ASCII letters. */
  readonly folds: boolean
}

/** What the information schema says of a column. */
export interface MysqlListedColumn extends ListedColumn {
  readonly dataType: string
  readonly precision: number | null
  readonly scale: number | null
  readonly charset: string | null
  readonly collation: string | null
  readonly json: boolean | number
  /** Whether it is a part of a unique or foreign key, so that it holds a number and no flag. */
  readonly isKey?: boolean
}

const families: Readonly<Record<string, Family>> = {
  ...{ tinyint: 'integer', smallint: 'integer', mediumint: 'integer', int: 'integer', bigint: 'integer' },
  ...{ year: 'year', bit: 'bit', decimal: 'decimal', float: 'single', double: 'double' },
  ...{ char: 'text', varchar: 'text', tinytext: 'text', text: 'text', mediumtext: 'text', longtext: 'text' },
  ...{ enum: 'text', set: 'text', uuid: 'uuid', inet4: 'inet4', inet6: 'inet6' },
  ...{ date: 'date', datetime: 'datetime', timestamp: 'timestamp', time: 'time' },
  ...{ binary: 'bytes', varbinary: 'bytes', tinyblob: 'bytes', blob: 'bytes', mediumblob: 'bytes', longblob: 'bytes' },
  ...{ json: 'document', vector: 'vector' },
}

const kinds: Readonly<Partial<Record<Family, ValueKind>>> = {
  ...{ integer: 'integer', year: 'integer', bit: 'integer', boolean: 'boolean', decimal: 'decimal' },
  ...{ single: 'float', double: 'float', text: 'string', date: 'date', datetime: 'datetime', timestamp: 'timestamp' },
  ...{ bytes: 'bytes', document: 'object', uuid: 'uuid' },
}

/** Collations of which it is known that they ignore the case of ASCII letters in every text: others have contractions. */
const folding =
  /^(?:utf8mb4|utf8mb3|utf8|ucs2|utf16|utf32)_(?:general|unicode|unicode_520|0900_a[is]|uca1400(?:_nopad)?_a[is]|(?:general|unicode)_nopad)_ci$|^(?:latin1_(?:swedish|general)|ascii_general)_ci$/

/** Returns what statements need to know of a listed column. */
export function liveColumn({ type, dataType, precision, scale, charset, collation, json, isKey }: MysqlListedColumn) {
  const name = dataType.toLowerCase()
  const isFlag = !isKey && /^(?:tinyint|bit)\(1\)/i.test(type)
  const family: Family = json ? 'document' : isFlag ? 'boolean' : (families[name] ?? 'geometry')
  // a set is a list of its own, for which no strategy makes a text
  const kind = name === 'set' ? undefined : kinds[family]
  return {
    ...(kind && { kind }),
    family,
    unsigned: /unsigned|zerofill/i.test(type) || name === 'bit',
    precision: precision ?? 0,
    scale: scale ?? 0,
    charset,
    collation,
    folds: collation !== null && folding.test(collation),
    ...(family === 'text' &&
      collation !== null &&
      !/(?:^|_)bin(?:ary)?$/i.test(collation) && { comparesLoosely: true as const }),
  }
}

/** Returns the labels of an enumeration, as its type lists them. */
export function labelsOf({ type, dataType }: Pick<MysqlListedColumn, 'type' | 'dataType'>): Pick<Column, 'values'> {
  if (dataType.toLowerCase() !== 'enum') return {}
  const list = type.slice(type.indexOf('(') + 1, -1)
  const values = [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, label]) => (label as string).replaceAll("''", "'"))
  return { values }
}

/** Returns whether a foreign key from one column to the other may take values for equal that read differently. */
export function isLoose(column: MysqlColumn, to: MysqlColumn): boolean {
  return to.family === 'text' || column.family !== to.family || column.scale !== to.scale
}
