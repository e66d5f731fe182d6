import { type Collection, type Dataset, walkFields } from '@habeas/core'
import { counted, fact, sorted } from '../picture/facts.js'
import type { Entry, Fact } from '../picture/picture.js'
import type { Taxonomy } from './taxonomy.js'

/** More names than this are only counted. */
const mostNames = 24

/** The tables of a dataset, each with the categories that it holds. */
export function tableFacts({ collections }: Dataset, { nameOf }: Taxonomy): Fact[] {
  return collections.map((collection) => {
    const fields = [...walkFields(collection)]
    const categories = sorted([...collection.data_categories, ...fields.flatMap(({ field }) => field.data_categories)])
    const names = categories.map(nameOf)
    return { term: collection.name, values: names.length > 0 ? names : [counted(fields.length, 'field')] }
  })
}

/** A table with its fields: what they hold, whom they identify and what they refer to. */
export function tableEntry(collection: Collection, { nameOf }: Taxonomy): Entry {
  const fields = [...walkFields(collection)]
  const plain: string[] = []
  const facts: Fact[] = []
  for (const { field, path } of fields) {
    const { identity, references } = field.service_meta
    const said = fact(
      path.join('.'),
      ...field.data_categories.map(nameOf),
      identity && `identity: ${identity}`,
      ...references.map((each) => `refers to ${each.dataset}:${each.field}`),
    )
    if (said.length === 0) plain.push(path.join('.'))
    facts.push(...said)
  }
  const others = plain.length > mostNames ? counted(plain.length, 'field') : plain.join(', ')
  const erased = collection.service_meta.erase === 'delete' ? 'rows are deleted' : undefined
  return {
    title: collection.name,
    note: counted(fields.length, 'field'),
    facts: [
      ...fact('What it is', collection.description),
      ...fact('All fields', ...collection.data_categories.map(nameOf)),
      ...facts,
      ...fact(facts.length > 0 ? 'Other fields' : 'Fields', others),
      ...fact('Kept for', collection.retention),
      ...fact('Erasure', collection.service_meta.retain && `kept: ${collection.service_meta.retain.reason}`, erased),
    ],
  }
}
