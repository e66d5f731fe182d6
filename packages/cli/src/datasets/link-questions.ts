import { type CheckedDataset, type Dataset, nearestHint, type Proposal } from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import { changedField, fieldAt, placeIn, referringField, reviewedField } from './changed-field.js'
import type { NamedAnswer, OpenQuestion } from './open-question.js'

/** What is known when such a question is made. */
interface Asking {
  /** The proposals that somebody is asked for. */
  readonly asked: readonly Proposal[]
  /** Every dataset that a reference may lead to. */
  readonly datasets: readonly Dataset[]
}

/** Questions about tables that nothing connects with a person, and about columns named like keys of people. */
export function linkQuestions(
  dataset: Dataset,
  findings: CheckedDataset['findings'],
  { asked, datasets }: Asking,
): OpenQuestion[] {
  const isEntry = (name: string) => asked.some((each) => each.kind === 'identity' && each.collection === name)
  const isProposed = (place: string) =>
    asked.some((each) => each.kind === 'reference' && `${each.collection}.${each.field}` === place)
  return findings.flatMap(({ type, severity, loc, message }): OpenQuestion[] => {
    const [key, collection, ...path] = loc.map(String) as [string, string, ...string[]]
    // an identity that is proposed for it is asked first
    if (type === 'unreachable_collection' && isEntry(collection)) return []
    if (type === 'unreachable_collection' && severity === 'warning')
      return [
        {
          name: `${key}:${collection}`,
          why: message,
          answers: [nobodys(collection), byIdentity(collection), byColumn(collection, datasets)],
        },
      ]
    const place = `${collection}.${path.join('.')}`
    if (type !== 'undescribed_reference' || !fieldAt(dataset, place) || isProposed(place)) return []
    return [
      {
        name: `${key}:${place}`,
        why: message,
        answers: [leadsTo(place, datasets), namesPerson(place), leadsNowhere(place)],
      },
    ]
  })
}

const target = 'DATASET:COLLECTION.FIELD'
const whichField = 'Which field does it refer to, such as shop:customer.id?'
const whichProperty = 'Which property is it, such as email?'

const nobodys = (collection: string): NamedAnswer => ({
  name: 'owner=nobody',
  means: 'its rows belong to nobody',
  write: (dataset) => ({
    ...dataset,
    collections: dataset.collections.map((each) =>
      each.name === collection ? { ...each, service_meta: { ...each.service_meta, owner: [] } } : each,
    ),
  }),
})

const byColumn = (collection: string, datasets: readonly Dataset[]): NamedAnswer => ({
  name: `from=COLUMN@${target}`,
  means: 'a row belongs to the person of the row that this column refers to',
  asks: { COLUMN: 'Which column says whose a row is?', [target]: whichField },
  write(dataset, { COLUMN: column = '', [target]: field = '' } = {}) {
    return referring(dataset, columnOf(dataset, collection, column), { field, datasets })
  },
})

const byIdentity = (collection: string): NamedAnswer => ({
  name: 'identity=COLUMN@PROPERTY',
  means: 'requests find a row by this column, which holds a property such as email',
  asks: { COLUMN: 'Which column names the person?', PROPERTY: whichProperty },
  write: (dataset, { COLUMN: column = '', PROPERTY: property = '' } = {}) =>
    changedField(dataset, columnOf(dataset, collection, column), (meta) => ({ ...meta, identity: property })),
})

const namesPerson = (place: string): NamedAnswer => ({
  name: 'identity=PROPERTY',
  means: 'requests find a row by it, as it holds a property such as email',
  asks: { PROPERTY: whichProperty },
  write: (dataset, { PROPERTY: property = '' } = {}) =>
    changedField(dataset, place, (meta) => ({ ...meta, identity: property })),
})

const leadsTo = (place: string, datasets: readonly Dataset[]): NamedAnswer => ({
  name: `from=${target}`,
  means: 'a row belongs to the person of the row that it refers to',
  asks: { [target]: whichField },
  write: (dataset, { [target]: field = '' } = {}) => referring(dataset, place, { field, datasets }),
})

const leadsNowhere = (place: string): NamedAnswer => ({
  name: 'reviewed',
  means: 'it leads to nobody',
  leavesOut: place,
  write: (dataset) => reviewedField(dataset, place),
})

/** The place of a column. Refuses one that the collection does not describe. */
function columnOf(dataset: Dataset, collection: string, column: string): string {
  const place = `${collection}.${column}`
  if (fieldAt(dataset, place)) return place
  const known = dataset.collections.find(({ name }) => name === collection)?.fields.map(({ name }) => name) ?? []
  throw wrongUsage(`'${collection}' has no column '${column}'${nearestHint(column, known)}.`)
}

/** The dataset with a reference by which rows have an owner. Refuses a field that no dataset describes. */
function referring(
  dataset: Dataset,
  place: string,
  { field, datasets }: { readonly field: string; readonly datasets: readonly Dataset[] },
): Dataset {
  const own = dataset.service_key
  const [named = own, ...rest] = field.includes(':') ? field.split(':') : [own, field]
  const to = rest.join(':')
  const target = named === own ? dataset : datasets.find(({ service_key: key }) => key === named)
  if (!target) {
    const known = datasets.map(({ service_key: key }) => key)
    throw wrongUsage(`There is no dataset '${named}'${nearestHint(named, known)}.`)
  }
  if (!fieldAt(target, to)) {
    const known = target.collections.flatMap(({ name, fields }) => fields.map((each) => `${name}.${each.name}`))
    throw wrongUsage(`'${named}' describes no field '${to}'${nearestHint(to, known)}.`)
  }
  return referringField(dataset, placeIn(own, place), { dataset: named, field: to, direction: 'from' })
}
