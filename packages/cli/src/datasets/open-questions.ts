import { isDeepStrictEqual } from 'node:util'
import {
  type AnsweredReference,
  applyProposals,
  type CheckedDataset,
  type Dataset,
  type OpenReference,
  type Proposal,
  type ReferenceAnswer,
} from '@habeas/core'
import type { LocalService } from '../config/open-service.js'
import { changedField, changedFieldAt, fieldAt, placeIn, referringField, reviewedField } from './changed-field.js'
import type { NamedAnswer, OpenQuestion } from './open-question.js'
import { typeQuestions } from './type-questions.js'

/** What nobody has decided on in a dataset. */
export interface OpenQuestions {
  /** What drafting proposes and the dataset does not say, as far as a person has to decide on it. */
  readonly proposals: readonly Proposal[]
  /** References and fields whose meaning is open, each with its answers. */
  readonly open: readonly OpenQuestion[]
}

/** The fields on whose category nobody has decided, as `habeas check` counts them, and why: by `dataset:collection.field`. */
export async function undecidedFields({ privacy }: LocalService): Promise<ReadonlyMap<string, string>> {
  const { gaps } = await privacy.datasets.coverage()
  const undecided = gaps.filter(({ kind, field }) => kind === 'category' && field !== undefined)
  return new Map(
    undecided.map(({ dataset, collection, field, message }) => [`${dataset}:${collection}.${field}`, message]),
  )
}

/** What is asked of a dataset. */
export interface Questions {
  /** Everything that drafting proposes. */
  readonly drafted: readonly Proposal[]
  /** What is open in the dataset, as answers have changed it. */
  openIn(dataset: Dataset): Promise<OpenQuestions>
}

/**
 * What is asked of the dataset with a key behind a connection. `undecided` are asked for, however unsure a proposal is. The
 * database tells its schema once, since no answer changes it.
 */
export async function questionsOf(
  { privacy }: LocalService,
  { connection, key, undecided }: { connection: string; key: string; undecided: ReadonlyMap<string, string> },
): Promise<Questions> {
  const { proposals: drafted } = await privacy.connections.draftDataset(connection, { key })
  let last: { readonly dataset: Dataset; readonly open: OpenQuestions } | undefined
  return {
    drafted,
    async openIn(dataset) {
      if (last?.dataset !== dataset) {
        const notices = await privacy.datasets.validate(dataset, { connectionKey: connection })
        last = { dataset, open: openQuestions(dataset, drafted, notices, undecided) }
      }
      return last.open
    },
  }
}

/** Findings about fields of which nobody has said whether they are identities. */
const asksForIdentity = new Set(['identity_inferred', 'identity_doubted', 'undeclared_identity'])

function openQuestions(
  dataset: Dataset,
  proposals: readonly Proposal[],
  { open, findings }: Pick<CheckedDataset, 'open' | 'findings'>,
  undecided: ReadonlyMap<string, string>,
): OpenQuestions {
  const presets = new Map(
    proposals.flatMap((each) =>
      each.kind === 'direction' && each.confidence > 0.5 ? [[`${each.collection}.${each.field}`, each.direction]] : [],
    ),
  )
  const references = open.references.map((each): OpenQuestion => {
    const answers = each.answers.map((answer) => named(dataset.service_key, each, answer))
    const preset = presets.get(`${each.collection}.${each.field}`)
    return {
      ...{ name: questionName(dataset.service_key, each, open.references), why: each.why, answers },
      ...(preset !== undefined && answers.some(({ name }) => name === preset) && { preset }),
    }
  })
  const isOpen = new Set(open.references.map(({ collection, field }) => `${collection}.${field}`))
  const asked = proposals.filter((each) => isAsked(dataset, { isOpen, undecided }, each))
  const identities = findings.flatMap(({ type, loc, message }): OpenQuestion[] => {
    const place = loc.slice(1).join('.')
    const field = fieldAt(dataset, place)
    if (!asksForIdentity.has(type) || !field) return []
    const property = propertyOf(field.name, field.data_categories)
    const proposal = asked.find((each) => each.kind === 'identity' && `${each.collection}.${each.field}` === place)
    return [
      {
        ...{ name: `${dataset.service_key}:${place}`, why: message, answers: identityAnswers(place, property) },
        ...(proposal && { proposal: proposal.id }),
      },
    ]
  })
  return {
    proposals: asked,
    open: [
      ...identities,
      ...references,
      ...typeQuestions(dataset, findings),
      ...categoryQuestions(dataset, asked, undecided),
    ],
  }
}

/** A field that may refer to several collections has a question for each: `shop:notes.subject_id@customer`. */
function questionName(key: string, { name, to }: OpenReference, all: readonly OpenReference[]): string {
  const isOnly = all.filter((each) => each.name === name).length === 1
  return isOnly || to === null ? name : `${name}@${placeIn(key, to)}`
}

/** Fields that are undecided since something else was decided, so that no draft proposes a category for them. */
function categoryQuestions(
  dataset: Dataset,
  asked: readonly Proposal[],
  undecided: ReadonlyMap<string, string>,
): OpenQuestion[] {
  const proposed = new Set(asked.flatMap((each) => ('field' in each ? [`${each.collection}.${each.field}`] : [])))
  return [...undecided].flatMap(([name, why]): OpenQuestion[] => {
    const place = name.slice(dataset.service_key.length + 1)
    const field = name.startsWith(`${dataset.service_key}:`) ? fieldAt(dataset, place) : undefined
    if (!field || proposed.has(place) || field.data_categories.length > 0) return []
    const { reviewed, waived } = field.service_meta
    return reviewed || waived ? [] : [{ name, why, answers: categoryAnswers(place, why) }]
  })
}

function categoryAnswers(place: string, why: string): NamedAnswer[] {
  const category = /It looks like '([\w.]+)'/.exec(why)?.[1] ?? 'user'
  return [
    {
      name: `category=${category}`,
      means: 'it holds this personal data',
      write: (dataset) => changedFieldAt(dataset, place, (field) => ({ ...field, data_categories: [category] })),
    },
    {
      name: 'reviewed',
      means: 'it holds no personal data',
      leavesOut: place,
      write: (dataset) => reviewedField(dataset, place),
    },
  ]
}

/** The dataset with these proposals applied, and no other. */
export function accepting(dataset: Dataset, proposals: readonly Proposal[], ids: readonly string[]): Dataset {
  const chosen = proposals.filter(({ id }) => ids.includes(id))
  return applyProposals(dataset, chosen, { accept: [...ids] })
}

/** The dataset with these proposals refused: marks columns as reviewed, or writes down why they hold no personal data. */
export function refusing(dataset: Dataset, proposals: readonly Proposal[], reason: string | undefined): Dataset {
  const refused = (list: readonly Proposal[]) => applyProposals(dataset, list, { refuse: () => true, atLeast: 1 })
  if (!reason) return refused(proposals)
  const categories = proposals.filter(({ kind }) => kind === 'category')
  return categories.reduce(
    (waived, each) => ('field' in each ? withReason(waived, `${each.collection}.${each.field}`, reason) : waived),
    refused(proposals.filter(({ kind }) => kind !== 'category')),
  )
}

/** Whether a person has to decide on a proposal. A direction is asked for with its reference, where that is open. */
function isAsked(
  dataset: Dataset,
  { isOpen, undecided }: { readonly isOpen: ReadonlySet<string>; readonly undecided: ReadonlyMap<string, string> },
  proposal: Proposal,
): boolean {
  const { id, kind, collection, confidence } = proposal
  const described = dataset.collections.find(({ name }) => name === collection)
  if (!described || described.service_meta.waived) return false
  const field = 'field' in proposal ? fieldAt(dataset, `${collection}.${proposal.field}`) : undefined
  // a column that nobody has described is drafted first
  if ('field' in proposal && !field) return false
  const meta = field?.service_meta
  if (meta?.waived || meta?.reviewed) return false
  // what is more often wrong than right asks nobody, and drafting writes placeholders without asking
  const isCounted = kind === 'category' && undecided.has(`${dataset.service_key}:${collection}.${proposal.field}`)
  if ((confidence <= 0.5 && !isCounted) || kind === 'placeholders') return false
  if (
    kind === 'direction' &&
    (isOpen.has(`${collection}.${proposal.field}`) || !['to', 'both'].includes(proposal.direction))
  )
    return false
  if (kind === 'category' && proposal.category === 'user.unique_id') {
    if (meta?.primary_key || (meta && meta.references.length > 0)) return false
  }
  // a proposal changes its own collection: reading all the others again takes long
  const alone = { ...dataset, collections: [described] }
  return !isDeepStrictEqual(accepting(alone, [proposal], [id]).collections, alone.collections)
}

/** The property that a field was taken for: that of its category, or of its name. */
function propertyOf(name: string, categories: readonly string[]): string {
  for (const category of categories) {
    const property = tied[category]
    if (property !== undefined) return property
  }
  return name
}

const tied: Readonly<Record<string, string>> = {
  'user.contact.email': 'email',
  'user.contact.phone_number': 'phone_number',
  'user.government_id.national_identification_number': 'ssn',
}

function identityAnswers(place: string, property: string): NamedAnswer[] {
  return [
    {
      name: 'identity',
      means: `it says whose the row is: requests find people by it as '${property}'`,
      write: (dataset) => changedField(dataset, place, (meta) => ({ ...meta, identity: property })),
    },
    {
      name: 'reviewed',
      means: 'it does not say whose the row is',
      write: (dataset) => reviewedField(dataset, place),
    },
  ]
}

function named(key: string, open: OpenReference, answer: ReferenceAnswer): NamedAnswer {
  const { means, exampleOf: type } = answer
  const name = nameOf(open, answer)
  if (type !== undefined) {
    const { when: _, ...reference } = answer.value as AnsweredReference
    return {
      ...{ name: `${name}@VALUE`, means, asks: { VALUE: `Which value of '${type}' is meant?` } },
      write: (dataset, { VALUE: value = '' } = {}) =>
        written(dataset, open, { ...answer, value: { ...reference, when: { [type]: value } } }),
    }
  }
  return {
    ...{ name, means },
    ...(answer.write === 'reviewed' && { leavesOut: placeIn(key, answer.at) }),
    write: (dataset) => written(dataset, open, answer),
  }
}

function nameOf({ collection }: OpenReference, { write, at, value }: ReferenceAnswer): string {
  if (write === 'direction') return String(value)
  if (write === 'reviewed') return 'reviewed'
  // the owner may be that of the collection that is referred to
  const of = at === collection ? '' : `${at}:`
  if (write === 'owner') return `owner=${of}${(value as readonly string[]).join('+') || 'nobody'}`
  const { dataset, field, direction } = value as AnsweredReference
  return `${direction ?? 'reference'}=${dataset}:${field}`
}

/** The dataset with the reason why a field is left out. */
export function withReason(dataset: Dataset, place: string, reason: string): Dataset {
  return changedField(dataset, place, (meta) => ({ ...meta, waived: { reason } }))
}

function written(dataset: Dataset, open: OpenReference, { write, at, value }: ReferenceAnswer): Dataset {
  const place = placeIn(dataset.service_key, at)
  if (write === 'owner') {
    const owner = [...(value as readonly string[])]
    const collections = dataset.collections.map((each) =>
      each.name === place ? { ...each, service_meta: { ...each.service_meta, owner } } : each,
    )
    return { ...dataset, collections }
  }
  if (write === 'reviewed') return reviewedField(dataset, place)
  if (write === 'reference') {
    const reference = value as AnsweredReference
    return referringField(dataset, place, { ...reference })
  }
  const direction = value as 'from' | 'to' | 'both' | 'none'
  // described at the key, the reference leads to the collection that is open
  const [, target] = place.startsWith(`${open.collection}.`) ? (open.to ?? '').split(':') : ['', open.collection]
  return changedField(dataset, place, (meta) => ({
    ...meta,
    references: meta.references.map((each) =>
      each.direction === undefined && each.field.startsWith(`${target}.`) ? { ...each, direction } : each,
    ),
  }))
}
