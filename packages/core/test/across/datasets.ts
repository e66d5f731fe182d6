import type { CollectionInput, DatasetInput } from '@habeas/core'
import { type OwnedTable, tables } from './tables.js'

/* What is said of the databases. Every reference leads down from rows of a person, and most of them to another database. */

const personal = (name: string) => ({ name, data_categories: ['user.content'] })

const customer: CollectionInput = {
  name: 'customer',
  fields: [
    { name: 'id', service_meta: { primary_key: true } },
    { name: 'account' },
    { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
    { name: 'name', data_categories: ['user.name'] },
    { name: 'whose' },
  ],
}

function collectionOf(database: string, { name, reference, to, text, deleted }: OwnedTable): CollectionInput {
  const [dataset, field] = to.split(':') as [string, string]
  return {
    name,
    ...(deleted && { service_meta: { erase: 'delete' } }),
    fields: [
      { name: database === 'app' ? '_id' : 'id', service_meta: { primary_key: true } },
      { name: reference, service_meta: { references: [{ dataset, field, direction: 'from' }] } },
      personal(text),
      ...(name === 'profile' ? [{ name: 'home', fields: [personal('city'), { name: 'floor' }] }] : []),
      { name: 'whose' },
    ],
  }
}

/** The datasets of these databases, without the collections that hang on one of the others. */
export function datasetsOf(present: ReadonlySet<string>): readonly DatasetInput[] {
  const isReached = ({ to }: OwnedTable): boolean => {
    const [key, name] = to.split(/[:.]/) as [string, string]
    if (!present.has(key)) return false
    const owner = tables[key]?.find((table) => table.name === name)
    return owner === undefined || isReached(owner)
  }
  return [...present].map((key) => ({
    service_key: key,
    collections: [
      ...(key === 'shop' ? [customer] : []),
      ...(tables[key] ?? []).filter(isReached).map((table) => collectionOf(key, table)),
    ],
  }))
}
