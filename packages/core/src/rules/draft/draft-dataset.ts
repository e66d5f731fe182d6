import type { Catalogue, CatalogueCollection, Column, ForeignKey } from '../../model/catalogue.js'
import type { DataType, DataTypeName } from '../../model/data-type.js'
import { type Dataset, type FieldInput, parseDataset } from '../../model/dataset.js'
import type { CategoryProposal, Proposal, ProposedReference } from '../../model/proposal.js'
import type { ValueKind } from '../../model/value.js'
import { describedOwnership, type OwnershipInferences } from '../plan/described-ownership.js'
import { applyProposals } from './apply-proposals.js'
import { type BareLink, draftedSchema } from './drafted-schema.js'
import { isNamed, membersOf, withMemberColumns } from './member-columns.js'
import { proposeCategories, proposeNames, proposeTexts } from './propose-categories.js'
import { proposeDirections } from './propose-directions.js'
import { proposeIdentities, proposePlaceholders } from './propose-identities.js'
import { proposeOwners } from './propose-owners.js'
import { guessedReferences, namedTables, proposedLinks, proposeReferences } from './propose-references.js'
import { proposeSkips } from './propose-skips.js'
import { emptyConnection, type OpenReferences, referenceQuestions } from './reference-questions.js'

/** A foreign key that a dataset cannot express. */
export interface SkippedForeignKey {
  readonly collection: string
  readonly foreignKey: string
  readonly reason: string
}

export interface DatasetDraft {
  /** The description that follows from the live schema alone. Edit it, then attach it. */
  readonly dataset: Dataset
  /** Suggestions for a person to decide on, with `applyProposals` or by hand. */
  readonly proposals: readonly Proposal[]
  readonly skipped: readonly SkippedForeignKey[]
  /** The references that stay open after everything that needs no decision is applied, with the possible answers. */
  readonly open: OpenReferences
  /** Other schemas of the database that have tables or views. A connection of its own reads each. */
  readonly otherSchemas: readonly string[]
}

export interface DraftOptions extends Partial<OwnershipInferences> {
  /** `service_key` of the dataset. */
  readonly key: string
  readonly name?: string
}

/** Kinds that the specification's types can express without changing a value. */
const dataTypes: Partial<Record<ValueKind, DataTypeName>> = {
  integer: 'integer',
  float: 'float',
  boolean: 'boolean',
  string: 'string',
  object_id: 'object_id',
  object: 'object',
}

/**
 * Describes a live schema: tables, columns, keys and references. Views that show described tables are marked to be
 * skipped. The meaning of columns and the owners of rows become proposals.
 */
export function draftDataset(catalogue: Catalogue, options: DraftOptions): DatasetDraft {
  const { key, name } = options
  const { collections } = catalogue
  const reasonOf = reasons(collections)
  const proposals = propose(catalogue, key, reasonOf)
  const skips = new Map(proposals.flatMap((each) => (each.kind === 'skip' ? [[each.collection, each.reason]] : [])))
  const { value: dataset } = parseDataset({
    service_key: key,
    name: name ?? key,
    collections: collections.map((collection) => {
      const skipped = skips.get(collection.name)
      return {
        name: collection.name,
        ...(skipped && { description: skipped, service_meta: { skip_processing: true } }),
        fields: collection.columns.filter(isNamed).map((column) => {
          const references = referencesOf(collection, column.name, key, reasonOf)
          return draftedField(column, { primary: collection.primaryKey.includes(column.name), references })
        }),
      }
    }),
  })
  return {
    dataset,
    proposals,
    open: openAfter(catalogue, dataset, proposals, options),
    otherSchemas: catalogue.otherSchemas ?? [],
    skipped: collections.flatMap((collection) =>
      collection.foreignKeys.flatMap((foreignKey) => {
        const reason = reasonOf(foreignKey)
        return reason ? [{ collection: collection.name, foreignKey: foreignKey.name, reason }] : []
      }),
    ),
  }
}

function openAfter(
  catalogue: Catalogue,
  dataset: Dataset,
  proposals: readonly Proposal[],
  { key, inferIdentities = true, inferOwners = true }: DraftOptions,
): OpenReferences {
  if (catalogue.collections.length === 0) {
    const summary = emptyConnection(key)
    return { summary, references: [] }
  }
  const value = applyProposals(dataset, proposals)
  const { graph, owners } = describedOwnership([{ dataset: value, catalogue }], { inferIdentities, inferOwners })
  return referenceQuestions(key, graph, owners, proposals)
}

type ReasonOf = (foreignKey: ForeignKey) => string | undefined

/** Makes the proposals. A skipped view gets no others. */
function propose(catalogue: Catalogue, dataset: string, reasonOf: ReasonOf): Proposal[] {
  const skips = proposeSkips(catalogue)
  const skipped = new Set(skips.map(({ collection }) => collection))
  const collections = catalogue.collections.filter(({ name }) => !skipped.has(name)).map(withMemberColumns)
  const categories = proposeCategories(collections)
  const byColumn = new Map(collections.map(({ name }) => [name, new Map<string, string>()]))
  for (const { collection, field, category } of categories) byColumn.get(collection)?.set(field, category)
  const named = namedTables(collections)
  const loose = new Map(collections.map((each) => [each.name, proposedLinks(each, named, dataset)]))
  const schema = draftedSchema(
    collections,
    (name) => byColumn.get(name) ?? new Map(),
    (collection) => [...foreignLinks(collection, dataset, reasonOf), ...(loose.get(collection.name) ?? [])],
  )
  const tables = [...schema.tables.values()]
  const identities = tables.flatMap((table) => proposeIdentities(table, schema))
  const references = [
    ...[...loose].flatMap(([name, links]) => proposeReferences(name, links)),
    ...collections.flatMap((each) => guessedReferences(each, named, dataset)),
  ]
  // Somebody who refuses such a column as personal data marks it as reviewed, and so refuses its reference as well.
  const referring = new Set(references.map(({ collection, field }) => `${collection}.${field}`))
  const isKeyAlone = ({ collection, field, category }: CategoryProposal) =>
    category === 'user.unique_id' && referring.has(`${collection}.${field}`)
  return [
    ...skips,
    ...categories.filter((each) => !isKeyAlone(each)),
    ...tables.flatMap((table) => proposeNames(table, identities)),
    ...tables.filter(({ live: { name } }) => schema.owned.has(name) || schema.parts.has(name)).flatMap(proposeTexts),
    ...identities,
    ...tables.flatMap(proposePlaceholders),
    ...references,
    ...proposeDirections(schema),
    ...proposeOwners(schema, identities),
  ]
}

/** The references of a table. A key over several columns is one reference. */
function foreignLinks(collection: CatalogueCollection, dataset: string, reasonOf: ReasonOf): BareLink[] {
  return expressibleKeys(collection, reasonOf).map((foreignKey) => ({
    columns: foreignKey.columns,
    target: foreignKey.references.collection,
    references: foreignKey.columns.map((_, part) => reference(foreignKey, part, dataset)),
    nullable: collection.columns.some((column) => column.nullable && foreignKey.columns.includes(column.name)),
    onDelete: foreignKey.onDelete,
    confidence: 1,
  }))
}

/** The foreign keys that a dataset can express. Duplicates appear once. */
function expressibleKeys({ foreignKeys }: CatalogueCollection, reasonOf: ReasonOf): ForeignKey[] {
  const found = new Map<string, ForeignKey>()
  for (const foreignKey of foreignKeys) {
    const way = JSON.stringify([foreignKey.columns, foreignKey.references])
    if (!reasonOf(foreignKey) && !found.has(way)) found.set(way, foreignKey)
  }
  return [...found.values()]
}

/** A part of a key over several columns has a meaning only together with the others. */
function reference({ name, columns, references }: ForeignKey, part: number, dataset: string): ProposedReference {
  const group = columns.length > 1 ? { group: name } : {}
  return { dataset, field: `${references.collection}.${references.columns[part]}`, ...group }
}

function draftedField(
  column: Column,
  {
    primary = false,
    references = [],
    around = 0,
  }: { primary?: boolean; references?: ProposedReference[]; around?: number },
): FieldInput {
  const { name, kind, array, orObject, length, generated } = column
  const members = membersOf(column, around)
  const type = kind && dataTypes[kind]
  // rows with a list are undecided where that leaves open whose they are, until somebody says that it may be one
  const data_type: DataType | undefined = type && (array && !orObject ? `${type}[]` : type)
  const meta = {
    ...(primary && { primary_key: true as const }),
    // A computed column cannot be written. It changes with the columns it is computed from.
    ...(generated && !primary && { read_only: true as const }),
    ...(data_type && { data_type }),
    ...(length && { length }),
    ...(references.length > 0 && { references: references.map(({ when: _, ...each }) => each) }),
  }
  return {
    name,
    ...(Object.keys(meta).length > 0 && { service_meta: meta }),
    ...(members.length > 0 && { fields: members.map((member) => draftedField(member, { around: around + 1 })) }),
  }
}

function referencesOf(
  collection: CatalogueCollection,
  column: string,
  dataset: string,
  reasonOf: ReasonOf,
): ProposedReference[] {
  return expressibleKeys(collection, reasonOf).flatMap((foreignKey) =>
    foreignKey.columns.flatMap((own, part) => (own === column ? [reference(foreignKey, part, dataset)] : [])),
  )
}

function reasons(collections: readonly CatalogueCollection[]): ReasonOf {
  const names = new Set(collections.map(({ name }) => name))
  return ({ references: { schema, collection, columns } }) => {
    if (schema !== undefined) {
      return `It refers to the schema "${schema}": describe that schema as another dataset and refer to it there.`
    }
    if (!names.has(collection)) return `It refers to "${collection}", which the catalogue does not list.`
    const dotted = columns.find((column) => column.includes('.'))
    return dotted && `It refers to the column "${dotted}", whose name contains a dot: a reference cannot name it.`
  }
}
