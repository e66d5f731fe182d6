import type { Column, ValueKind } from '@habeas/core'
import type { SqlColumn } from '@habeas/sql'

/** How keys of a type are bound and compared. `other` types are compared by their text. */
export type Family =
  | 'integer'
  | 'decimal'
  | 'money'
  | 'single'
  | 'double'
  | 'boolean'
  | 'text'
  | 'blank_padded'
  | 'enum'
  | 'uuid'
  | 'date'
  | 'timestamp'
  | 'bytes'
  | 'json'
  | 'other'

/** A live column with what binding, comparing and decoding need beyond the port's `Column`. */
export interface LiveColumn extends SqlColumn {
  readonly family: Family
  /** Name of the type (of an element, where the column is an array) without length, fit for a cast. */
  readonly cast: string
  /** True when the server's own `=` takes different texts for equal. */
  readonly loose: boolean
  /** True when that `=` ignores the case of letters and nothing else. */
  readonly folds?: true
  /** Qualified name of its collation, where the column is loose because of it. */
  readonly collation?: string
  /** True when an index finds rows by the column. */
  readonly indexed: boolean
  /** True when an index finds rows by an element of the column. */
  readonly inverted: boolean
  /** Longest text of a value in bytes, where the type bounds it. */
  readonly width?: number
}

/** A column as the catalogue query lists it. A domain has the type behind it, an array the type of its elements. */
export interface CatalogueColumn {
  readonly name: string
  /** The type as people write it, with its length. */
  readonly type: string
  readonly typeSchema: string
  readonly typeName: string
  /** The labels of an enumeration; null for any other type. */
  readonly labels: readonly string[] | null
  readonly isArray: boolean
  /** Length or precision as the server keeps it; negative when there is none. */
  readonly modifier: number
  readonly nullable: boolean
  readonly generated: boolean
  /** The server computes it from other columns. */
  readonly rewritten?: boolean
  /** Qualified name of its collation, where this takes different texts for equal. */
  readonly collation: string | null
}

interface BuiltIn {
  readonly family: Family
  readonly kind?: ValueKind
  readonly width?: number
}

const builtIns: Readonly<Record<string, BuiltIn>> = {
  int2: { family: 'integer', kind: 'integer', width: 6 },
  int4: { family: 'integer', kind: 'integer', width: 11 },
  int8: { family: 'integer', kind: 'integer', width: 20 },
  numeric: { family: 'decimal', kind: 'decimal' },
  money: { family: 'money', kind: 'decimal', width: 28 },
  float4: { family: 'single', kind: 'float', width: 14 },
  float8: { family: 'double', kind: 'float', width: 24 },
  bool: { family: 'boolean', kind: 'boolean', width: 1 },
  text: { family: 'text', kind: 'string' },
  varchar: { family: 'text', kind: 'string' },
  name: { family: 'text', kind: 'string', width: 63 },
  bpchar: { family: 'blank_padded', kind: 'string' },
  uuid: { family: 'uuid', kind: 'uuid', width: 36 },
  date: { family: 'date', kind: 'date', width: 13 },
  timestamp: { family: 'timestamp', kind: 'datetime', width: 32 },
  timestamptz: { family: 'timestamp', kind: 'timestamp', width: 32 },
  bytea: { family: 'bytes', kind: 'bytes' },
  json: { family: 'json', kind: 'object' },
  jsonb: { family: 'json', kind: 'object' },
}

/** Returns a listed column with what its type means for statements. */
export function liveColumn(column: CatalogueColumn, by: { indexed?: boolean; inverted?: boolean } = {}): LiveColumn {
  const { name, typeSchema, typeName, labels, isArray } = column
  const own = typeSchema === 'pg_catalog'
  const citext = !own && typeName === 'citext'
  const builtIn: BuiltIn = (own ? builtIns[typeName] : undefined) ?? typeElsewhere(labels !== null, citext)
  const length = lengthOf(column)
  const width = isArray ? undefined : (builtIn.width ?? (length === undefined ? undefined : length * 4))
  return {
    name,
    family: builtIn.family,
    ...(builtIn.kind ? { kind: builtIn.kind } : {}),
    ...(isArray ? { array: true } : {}),
    ...(column.generated ? { generated: true } : {}),
    cast: own ? plain(typeName) : `${quoted(typeSchema)}.${quoted(typeName)}`,
    loose: citext || column.collation !== null,
    ...(citext && !isArray && { folds: true as const }),
    ...(column.collation === null ? {} : { collation: column.collation }),
    indexed: by.indexed ?? false,
    inverted: by.inverted ?? false,
    ...(width === undefined ? {} : { width }),
  }
}

/** Returns a listed column as `describe` gives it. */
export function describedColumn(column: CatalogueColumn): Column {
  const { kind, loose } = liveColumn(column)
  const length = lengthOf(column)
  return {
    name: column.name,
    type: column.type,
    ...(kind ? { kind } : {}),
    ...(column.isArray ? { array: true } : {}),
    nullable: column.nullable,
    ...(column.labels ? { values: column.labels } : {}),
    ...(length === undefined ? {} : { length }),
    ...(column.generated ? { generated: true } : {}),
    ...(column.rewritten && { rewritten: true as const }),
    ...(loose && kind === 'string' && !column.isArray && { comparesLoosely: true as const }),
  }
}

/** Types whose equal values read the same, whatever their width or scale. */
const plainFamilies: readonly (readonly Family[])[] = [
  ['integer', 'decimal'],
  ...(['text', 'blank_padded', 'boolean', 'uuid', 'date', 'bytes', 'money', 'single', 'double'] as const).map(
    (family) => [family],
  ),
]

/** Returns whether a foreign key from one column to the other may take values for equal that read differently. */
export function isLoose(column: LiveColumn, to: LiveColumn): boolean {
  if (to.loose || column.array || to.array) return true
  const isOne = column.cast === to.cast && (column.family === 'enum' || column.family === 'timestamp')
  return !isOne && !plainFamilies.some((alike) => alike.includes(column.family) && alike.includes(to.family))
}

function typeElsewhere(isEnum: boolean, citext: boolean): BuiltIn {
  if (isEnum) return { family: 'enum', kind: 'string', width: 63 }
  if (citext) return { family: 'text', kind: 'string' }
  return { family: 'other' }
}

/** Returns the longest length of a text. The modifier of the server is that length plus 4, the size of a header. */
function lengthOf({ typeSchema, typeName, modifier }: CatalogueColumn): number | undefined {
  const bounded = typeSchema === 'pg_catalog' && (typeName === 'varchar' || typeName === 'bpchar')
  return bounded && modifier > 4 ? modifier - 4 : undefined
}

/** Returns a type name for a cast. In quotes `char` is a type of one byte, not `character(1)`, and `bit` has any length. */
function plain(typeName: string): string {
  return typeName === 'char' || typeName === 'bit' ? quoted(typeName) : typeName
}

function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`
}
