import type { Catalogue, CatalogueCollection, Column, ForeignKey } from '../model/catalogue.js'
import type { DataType, DataTypeName } from '../model/data-type.js'
import type { ValueKind } from '../model/value.js'
import { type CategoryProposal, proposeCategories } from './category-proposals.js'

/** A dataset as the live schema tells it, in the specification's words; `parseDataset` reads it. */
export interface DraftedDataset {
  readonly service_key: string
  readonly name: string
  readonly description?: string
  readonly collections: readonly { readonly name: string; readonly fields: readonly DraftedField[] }[]
}

export interface DraftedField {
  readonly name: string
  readonly service_meta?: {
    readonly primary_key?: true
    readonly data_type?: DataType
    readonly length?: number
    readonly references?: readonly DraftedReference[]
  }
}

/** Without a direction: an erasure follows it from the key to what points there, a look-up the other way. */
export interface DraftedReference {
  readonly dataset: string
  readonly field: string
  readonly group?: string
}

/** A foreign key that a dataset cannot say. */
export interface SkippedForeignKey {
  readonly collection: string
  readonly foreignKey: string
  readonly reason: string
}

export interface DatasetDraft {
  readonly dataset: DraftedDataset
  readonly proposals: readonly CategoryProposal[]
  readonly skipped: readonly SkippedForeignKey[]
}

export interface DraftOptions {
  /** `service_key` of the dataset. */
  readonly key: string
  readonly name?: string
  /** Key of the connection the catalogue came from, named in the description. */
  readonly connectionKey?: string
}

/** Kinds the specification's types can say without changing a value. */
const dataTypes: Partial<Record<ValueKind, DataTypeName>> = {
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  string: 'string',
  object_id: 'object_id',
  object: 'object',
}

/** Describes a live schema: tables, columns, keys and references. What the columns mean is proposed beside it. */
export function draftDataset({ collections }: Catalogue, { key, name, connectionKey }: DraftOptions): DatasetDraft {
  const reasonOf = reasons(collections)
  return {
    dataset: {
      service_key: key,
      name: name ?? key,
      ...(connectionKey && { description: `Drafted from the live schema behind the connection ${connectionKey}.` }),
      collections: collections.map((collection) => ({
        name: collection.name,
        fields: collection.columns.map((column) => {
          const references = referencesOf(collection, column.name, key, reasonOf)
          return draftedField(column, collection.primaryKey.includes(column.name), references)
        }),
      })),
    },
    proposals: proposeCategories(collections),
    skipped: collections.flatMap((collection) =>
      collection.foreignKeys.flatMap((foreignKey) => {
        const reason = reasonOf(foreignKey)
        return reason ? [{ collection: collection.name, foreignKey: foreignKey.name, reason }] : []
      }),
    ),
  }
}

function draftedField(
  { name, kind, array, length }: Column,
  primary: boolean,
  references: DraftedReference[],
): DraftedField {
  const type = kind && dataTypes[kind]
  const data_type: DataType | undefined = type && (array ? `${type}[]` : type)
  const meta = {
    ...(primary && { primary_key: true as const }),
    ...(data_type && { data_type }),
    ...(length && { length }),
    ...(references.length > 0 && { references }),
  }
  return { name, ...(Object.keys(meta).length > 0 && { service_meta: meta }) }
}

/** A part of a key over several columns means something only together with the others. */
function referencesOf(
  { foreignKeys }: CatalogueCollection,
  column: string,
  dataset: string,
  reasonOf: (foreignKey: ForeignKey) => string | undefined,
): DraftedReference[] {
  const found = new Map<string, DraftedReference>()
  for (const foreignKey of foreignKeys) {
    if (reasonOf(foreignKey)) continue
    const { name, columns, references } = foreignKey
    const group = columns.length > 1 ? { group: name } : {}
    columns.forEach((own, part) => {
      if (own !== column) return
      const field = `${references.collection}.${references.columns[part]}`
      found.set(`${field} ${group.group ?? ''}`, { dataset, field, ...group })
    })
  }
  return [...found.values()]
}

function reasons(collections: readonly CatalogueCollection[]): (foreignKey: ForeignKey) => string | undefined {
  const names = new Set(collections.map(({ name }) => name))
  return ({ references: { schema, collection, columns } }) => {
    if (schema !== undefined) {
      return `It points into the schema "${schema}": describe that schema as a dataset of its own and refer to it there.`
    }
    if (!names.has(collection)) return `It points to "${collection}", which the catalogue does not list.`
    const dotted = columns.find((column) => column.includes('.'))
    return dotted && `It points to the column "${dotted}", whose name holds a dot: a reference cannot name it.`
  }
}
