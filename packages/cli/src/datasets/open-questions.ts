import { isDeepStrictEqual } from 'node:util'
import {
  type AnsweredReference,
  type CheckedDataset,
  type Dataset,
  nearestHint,
  type OpenReference,
  type Proposal,
  type ReferenceAnswer,
} from '@habeas/core'
import { wrongUsage } from '../command-end.js'
import type { LocalService } from '../config/open-service.js'
import { everything } from '../everything.js'
import { changedField, changedFieldAt, fieldAt, placeIn, referringField, reviewedField } from './changed-field.js'
import { accepting, isOwnerSaid } from './decide-proposals.js'
import { identityQuestions } from './identity-questions.js'
import { linkQuestions } from './link-questions.js'
import type { NamedAnswer, OpenQuestion } from './open-question.js'
import { typeQuestions } from './type-questions.js'

/** What is known before any dataset is asked about. */
export interface Known {
  /** The fields on whose category nobody has decided, as `habeas check` counts them, and why: by `dataset:collection.field`. */
  readonly undecided: ReadonlyMap<string, string>
  /** Every dataset that a reference may lead to. */
  readonly datasets: readonly Dataset[]
  /** The keys of all categories. */
  readonly categories: readonly string[]
}

/** What nobody has decided on in a dataset. */
export interface OpenQuestions {
  /** What drafting proposes and the dataset does not say, as far as a person has to decide on it. */
  readonly proposals: readonly Proposal[]
  /** References and fields whose meaning is open, each with its answers. */
  readonly open: readonly OpenQuestion[]
}

/** Reads what all datasets are asked with, once for a command. */
export async function knownOf({ privacy }: LocalService): Promise<Known> {
  const { gaps } = await privacy.datasets.coverage()
  const undecided = gaps.filter(({ kind, field }) => kind === 'category' && field !== undefined)
  return {
    undecided: new Map(
      undecided.map(({ dataset, collection, field, message }) => [`${dataset}:${collection}.${field}`, message]),
    ),
    datasets: await everything((page) => privacy.datasets.list(page)),
    categories: (await everything((page) => privacy.dataCategories.list(page))).map(({ service_key }) => service_key),
  }
}

/** What is asked of a dataset. */
export interface Questions {
  /** Everything that drafting proposes. */
  readonly drafted: readonly Proposal[]
  /** What is open in the dataset, as answers have changed it. */
  openIn(dataset: Dataset): Promise<OpenQuestions>
}

/**
 * What is asked of the dataset with a key behind a connection. Undecided fields are asked for, however unsure a proposal is. The
 * database tells its schema once, since no answer changes it.
 */
export async function questionsOf(
  { privacy }: LocalService,
  { connection, key, known }: { connection: string; key: string; known: Known },
): Promise<Questions> {
  const { proposals: drafted } = await privacy.connections.draftDataset(connection, { key })
  let last: { readonly dataset: Dataset; readonly open: OpenQuestions } | undefined
  return {
    drafted,
    async openIn(dataset) {
      if (last?.dataset !== dataset) {
        const notices = await privacy.datasets.validate(dataset, { connectionKey: connection })
        last = { dataset, open: openQuestions(dataset, drafted, notices, known) }
      }
      return last.open
    },
  }
}

function openQuestions(
  dataset: Dataset,
  proposals: readonly Proposal[],
  { open, findings }: Pick<CheckedDataset, 'open' | 'findings'>,
  known: Known,
): OpenQuestions {
  const { undecided, datasets } = known
  const presets = new Map(
    proposals.flatMap((each) =>
      each.kind === 'direction' && each.confidence > 0.5 ? [[`${each.collection}.${each.field}`, each.direction]] : [],
    ),
  )
  const references = open.references.map((each): OpenQuestion => {
    const answers = each.answers.map((answer) => named(dataset.service_key, each, answer))
    const preset = presets.get(`${each.collection}.${each.field}`)
    return {
      ...{ name: questionName(dataset, each), why: each.why, answers },
      ...(preset !== undefined && answers.some(({ name }) => name === preset) && { preset }),
    }
  })
  const isOpen = new Set(open.references.map(({ collection, field }) => `${collection}.${field}`))
  // a key is asked where it leads, which is more than whether it is personal data
  const isKey = new Set(
    findings.flatMap(({ type, loc }) => (type === 'undescribed_reference' ? [loc.slice(1).join('.')] : [])),
  )
  const asked = proposals.filter(
    (each) =>
      isAsked(dataset, { isOpen, undecided }, each) &&
      !(
        each.kind === 'category' &&
        each.category === 'user.unique_id' &&
        isKey.has(`${each.collection}.${each.field}`)
      ),
  )
  return {
    proposals: asked,
    open: [
      ...identityQuestions(dataset, findings, asked),
      ...references,
      ...typeQuestions(dataset, findings),
      ...linkQuestions(dataset, findings, { asked, datasets }),
      ...categoryQuestions(dataset, asked, known),
    ],
  }
}

/**
 * A field with references to several collections has a question for each: `shop:notes.subject_id@customer`. So an answer given
 * twice means the same. A reference over several columns is `shop:line.year+number`.
 */
function questionName(dataset: Dataset, { name, collection, field, to }: OpenReference): string {
  const key = dataset.service_key
  const plain = name.replaceAll(', ', '+')
  const targets = fieldAt(dataset, `${collection}.${field}`)?.service_meta.references ?? []
  return targets.length > 1 && to !== null ? `${plain}@${placeIn(key, to)}` : plain
}

/** Fields that are undecided since something else was decided, so that no draft proposes a category for them. */
function categoryQuestions(
  dataset: Dataset,
  asked: readonly Proposal[],
  { undecided, categories }: Known,
): OpenQuestion[] {
  const proposed = new Set(asked.flatMap((each) => ('field' in each ? [`${each.collection}.${each.field}`] : [])))
  return [...undecided].flatMap(([name, why]): OpenQuestion[] => {
    const place = name.slice(dataset.service_key.length + 1)
    const field = name.startsWith(`${dataset.service_key}:`) ? fieldAt(dataset, place) : undefined
    if (!field || proposed.has(place) || field.data_categories.length > 0) return []
    const { reviewed, waived } = field.service_meta
    return reviewed || waived ? [] : [{ name, why, answers: categoryAnswers(place, why, categories) }]
  })
}

function categoryAnswers(place: string, why: string, known: readonly string[]): NamedAnswer[] {
  const likely = /It looks like '([\w.]+)'/.exec(why)?.[1] ?? 'user'
  const holding = (dataset: Dataset, category: string) =>
    changedFieldAt(dataset, place, (field) => ({ ...field, data_categories: [category] }))
  return [
    {
      name: `category=${likely}`,
      means: 'it holds this personal data',
      write: (dataset) => holding(dataset, likely),
    },
    {
      name: 'category=CATEGORY',
      means: 'it holds personal data of another category, such as user.contact',
      asks: { CATEGORY: 'Which category is it?' },
      write(dataset, { CATEGORY: category = '' } = {}) {
        if (known.includes(category)) return holding(dataset, category)
        const some = known.filter((each) => /^user\.\w+$/.test(each)).join(', ')
        throw wrongUsage(`There is no category '${category}'${nearestHint(category, known)}. There are ${some}.`)
      },
    },
    {
      name: 'reviewed',
      means: 'it holds no personal data',
      leavesOut: place,
      write: (dataset) => reviewedField(dataset, place),
    },
  ]
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
  if (proposal.kind === 'owner' && isOwnerSaid(described, proposal.owner)) return false
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
