import type { ValueKind } from '@habeas/core'

const kinds: Readonly<Record<ValueKind, string>> = {
  integer: 'int int2 int4 int8 integer tinyint smallint mediumint bigint byteint int64 serial bigserial year',
  decimal: 'numeric decimal dec number money smallmoney bignumeric',
  float: 'float float4 float8 float64 real double',
  boolean: 'bool boolean bit',
  string:
    'char character varchar nchar nvarchar bpchar text tinytext mediumtext longtext ntext string citext name enum',
  uuid: 'uuid uniqueidentifier',
  date: 'date',
  timestamp: 'timestamp timestamptz timestamp_ltz timestamp_tz datetimeoffset',
  datetime: 'datetime datetime2 smalldatetime timestamp_ntz',
  object_id: '',
  bytes: 'bytea binary varbinary tinyblob blob mediumblob longblob bytes varbyte image raw',
  object: 'json jsonb variant object struct record',
}

const kindByType = new Map(
  Object.entries(kinds).flatMap(([kind, names]) => names.split(' ').map((name) => [name, kind as ValueKind] as const)),
)

/**
 * Returns the kind that the name of a type stands for on most servers: `character varying(20)` is a string. Undefined where
 * it stands for none. An adapter whose server uses a name differently looks into a table of its own first.
 */
export function kindOfType(type: string): ValueKind | undefined {
  const [name] = type.toLowerCase().match(/[a-z][a-z0-9_]*/) ?? []
  return name === undefined || name === '' ? undefined : kindByType.get(name)
}
