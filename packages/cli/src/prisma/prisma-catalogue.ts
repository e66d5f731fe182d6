import type { Catalogue, CatalogueCollection, Column, ForeignKey, ValueKind } from '@habeas/core'
import type { Attr, Block, BlockAttribute, Enum, Field, Model, Type, View } from '@mrleebo/prisma-ast'
import { argumentOf, attributeOf, fieldNames, mappedName, textOf, typeOf } from './attributes.js'

type Table = (Model | View) & { readonly fields: readonly Field[]; readonly attributes: readonly BlockAttribute[] }

/** The schema of the database where tables lie that name none. */
const usualSchemas: Readonly<Record<string, string>> = { postgresql: 'public', cockroachdb: 'public', sqlserver: 'dbo' }

/** How long a text is where its native type does not say it. */
const usualLengths: Readonly<Record<string, number>> = { mysql: 191, sqlserver: 1_000 }

export interface PrismaCatalogue {
  readonly catalogue: Catalogue
  /** Other schemas in which it has tables. A connection reads one schema. */
  readonly elsewhere: readonly string[]
}

/** The tables of a Prisma schema, as a connector would describe those of one schema of the database. */
export function prismaCatalogue(blocks: readonly Block[], wanted?: string): PrismaCatalogue {
  const provider = providerOf(blocks)
  const schema = wanted ?? usualSchemas[provider]
  const tables = new Map(blocks.filter((each) => each.type === 'model' || each.type === 'view').map(withName))
  const columns = columnsOf(blocks, tables, provider)
  const [here, there] = partition([...tables.values()], (table) => [undefined, schema].includes(schemaOf(table)))
  const collections = here.map((table) => collectionOf(table, tables, columns, schema))
  return {
    catalogue: { collections: [...collections, ...joinTables(here, tables, columns)] },
    elsewhere: [...new Set(there.flatMap((table) => schemaOf(table) ?? []))],
  }
}

function providerOf(blocks: readonly Block[]): string {
  const source = blocks.find((each) => each.type === 'datasource')
  const provider = source?.assignments.find((each) => each.type === 'assignment' && each.key === 'provider')
  return provider?.type === 'assignment' ? (textOf(provider.value) ?? '') : ''
}

function partition<Item>(items: readonly Item[], holds: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))]
}

function withName(block: Model | View): [string, Table] {
  const fields = fieldsOf(block)
  const attributes = block.properties.filter((each) => each.type === 'attribute')
  return [block.name, { ...block, fields, attributes }]
}

const fieldsOf = ({ properties }: Model | View | Type) => properties.filter((each) => each.type === 'field')
const schemaOf = (table: Table) => textOf(argumentOf(attributeOf(table, 'schema'), 'map'))

type ColumnsOf = (fields: readonly Field[]) => Column[]

function collectionOf(
  table: Table,
  tables: ReadonlyMap<string, Table>,
  columnsOf: ColumnsOf,
  schema: string | undefined,
): CatalogueCollection {
  const primaryKey = keysOf(table, 'id')[0] ?? []
  const uniqueKeys = keysOf(table, 'unique')
  const indexes = listed(table, 'index').filter((columns) => columns.length > 0)
  return {
    name: mappedName(table),
    columns: columnsOf(table.fields),
    primaryKey,
    uniqueKeys,
    foreignKeys: table.fields.flatMap((field) => foreignKeyOf(table, field, tables, schema) ?? []),
    indexes: [primaryKey, ...uniqueKeys, ...indexes].filter((columns) => columns.length > 0),
    // the tables that it shows are not in the schema
    ...(table.type === 'view' && { view: { writable: false, shows: [] } }),
  }
}

/** The columns of the keys that fields or the whole table declare. */
function keysOf(table: Table, name: 'id' | 'unique'): readonly (readonly string[])[] {
  const single = table.fields.filter((field) => attributeOf(field, name)).map((field) => [mappedName(field)])
  return [...single, ...listed(table, name)]
}

function listed(table: Table, name: string): readonly (readonly string[])[] {
  return table.attributes
    .filter((each) => each.name === name)
    .map((each) => columnNames(table, fieldNames(argumentOf(each, 'fields'))))
}

function columnNames({ fields }: Table, names: readonly string[]): readonly string[] {
  return names.map((name) => {
    const field = fields.find((each) => each.name === name)
    return field ? mappedName(field) : name
  })
}

const actions: Readonly<Record<string, ForeignKey['onDelete']>> = {
  ...{ Cascade: 'cascade', Restrict: 'restrict', NoAction: 'no action' },
  ...{ SetNull: 'set null', SetDefault: 'set default' },
}

function foreignKeyOf(
  table: Table,
  field: Field,
  tables: ReadonlyMap<string, Table>,
  schema: string | undefined,
): ForeignKey | undefined {
  const target = tables.get(typeOf(field))
  const relation = attributeOf(field, 'relation')
  const own = columnNames(table, fieldNames(argumentOf(relation, 'fields', 'none')))
  if (!target || own.length === 0) return undefined
  const columns = columnNames(target, fieldNames(argumentOf(relation, 'references', 'none')))
  const elsewhere = schemaOf(target)
  const onDelete = actions[textOf(argumentOf(relation, 'onDelete', 'none')) ?? '']
  return {
    name: textOf(argumentOf(relation, 'map', 'none')) ?? `${mappedName(table)}_${own.join('_')}_fkey`,
    columns: own,
    references: {
      ...(elsewhere !== undefined && elsewhere !== schema && { schema: elsewhere }),
      ...{ collection: mappedName(target), columns },
    },
    onDelete: onDelete ?? (field.optional ? 'set null' : 'restrict'),
    onUpdate: 'cascade',
  }
}

/** The tables that Prisma makes where two models list each other. */
function joinTables(
  described: readonly Table[],
  tables: ReadonlyMap<string, Table>,
  columnsOf: ColumnsOf,
): CatalogueCollection[] {
  const found = new Map<string, CatalogueCollection>()
  for (const table of described)
    for (const field of table.fields) {
      const other = tables.get(typeOf(field))
      const back = other?.fields.find(
        (each) => typeOf(each) === table.name && each.array && isSameRelation(each, field),
      )
      if (!field.array || !other || !back || isByFields(field)) continue
      const sides = [table, other].sort((one, two) => (one.name < two.name ? -1 : 1)) as [Table, Table]
      const name = `_${relationName(field) ?? sides.map((side) => side.name).join('To')}`
      found.set(name, joinTable(name, sides, columnsOf))
    }
  return [...found.values()]
}

const relationName = (field: Field) => textOf(argumentOf(attributeOf(field, 'relation'), 'name'))
/** MongoDB has the keys of the other side in a list. */
const isByFields = (field: Field) => argumentOf(attributeOf(field, 'relation'), 'fields', 'none') !== undefined
const isSameRelation = (one: Field, other: Field) => one !== other && relationName(one) === relationName(other)

function joinTable(name: string, sides: readonly [Table, Table], columnsOf: ColumnsOf): CatalogueCollection {
  const columns = ['A', 'B']
  const ends = sides.flatMap((side, at) => {
    const key = side.fields.find((field) => attributeOf(field, 'id'))
    return key ? [{ name: columns[at] as string, to: mappedName(side), key }] : []
  })
  return {
    name,
    columns: ends.flatMap((end) => columnsOf([end.key]).map((column) => ({ ...column, name: end.name }))),
    ...{ primaryKey: [], uniqueKeys: [columns], indexes: [columns, ['B']] },
    foreignKeys: ends.map((end) => ({
      name: `${name}_${end.name}_fkey`,
      columns: [end.name],
      references: { collection: end.to, columns: [mappedName(end.key)] },
      ...{ onDelete: 'cascade', onUpdate: 'cascade' },
    })),
  }
}

const kinds: Readonly<Record<string, ValueKind>> = {
  ...{ String: 'string', Boolean: 'boolean', Int: 'integer', BigInt: 'integer', Float: 'float', Decimal: 'decimal' },
  ...{ DateTime: 'datetime', Json: 'object', Bytes: 'bytes' },
}

/** Providers that mean something else by a type of the schema, or by a native one. */
const ownKinds: Readonly<Record<string, Readonly<Record<string, ValueKind>>>> = {
  mongodb: { DateTime: 'timestamp', Date: 'timestamp' },
  mysql: { Timestamp: 'timestamp' },
}

/** Native types that say more than the type of the schema. */
const nativeKinds: Readonly<Record<string, ValueKind | undefined>> = {
  ...{ Timestamptz: 'timestamp', DateTimeOffset: 'timestamp' },
  ...{ Uuid: 'uuid', UniqueIdentifier: 'uuid', ObjectId: 'object_id', Date: 'date' },
  ...{ Time: undefined, Timetz: undefined, Inet: undefined, Bit: undefined, VarBit: undefined, Xml: undefined },
}

/** Returns what makes columns of fields. A relation is none. */
function columnsOf(blocks: readonly Block[], tables: ReadonlyMap<string, Table>, provider: string): ColumnsOf {
  const ofNative = { ...nativeKinds, ...ownKinds[provider] }
  const ofType = { ...kinds, ...ownKinds[provider] }
  const usualLength = usualLengths[provider] ?? 0
  const enums = new Map(blocks.flatMap((each) => (each.type === 'enum' ? [[each.name, labelsOf(each)]] : [])))
  const objects = new Map(blocks.flatMap((each) => (each.type === 'type' ? [[each.name, fieldsOf(each)]] : [])))
  /** `around`: the types of the objects that hold it. Members of one that holds itself are given once. */
  const toColumn = (field: Field, around: readonly string[]): Column => {
    const type = typeOf(field)
    const native = field.attributes?.find(({ group }) => group === 'db')
    const values = enums.get(type)
    const inner = objects.get(type)
    const own = native && native.name in ofNative ? ofNative[native.name] : ofType[type]
    const kind = inner ? 'object' : values ? 'string' : own
    const length = native ? lengthOf(native) : type === 'String' ? usualLength : 0
    return {
      name: mappedName(field),
      type: native ? `${type} @db.${native.name}` : type,
      ...(kind && { kind }),
      ...(field.array && { array: true }),
      nullable: field.optional === true,
      ...(values && { values }),
      ...(length > 0 && { length }),
      ...(inner && !around.includes(type) && { members: inner.map((each) => toColumn(each, [...around, type])) }),
    }
  }
  return (fields) => fields.filter((field) => !tables.has(typeOf(field))).map((field) => toColumn(field, []))
}

/** Native types of texts that are as long as they say. */
const limited = new Set(['VarChar', 'Char', 'NVarChar', 'NChar', 'String'])

function lengthOf(native: Attr): number {
  const length = limited.has(native.name) ? Number(argumentOf(native, 'length')) : 0
  // such as `@db.VarChar(Max)`
  return Number.isInteger(length) ? length : 0
}

function labelsOf({ enumerators }: Enum): readonly string[] {
  return enumerators.flatMap((each) => (each.type === 'enumerator' ? [mappedName(each)] : []))
}
