import type { Dataset, DatasetDraft, OpenReference, PrivacyService, Proposal } from '@habeas/core'
import { type AnswerSort, offersOf, sortOf } from './answer-sort.js'
import { type Answer, unasked, writeAnswer } from './answered.js'
import type { SampleSchema } from './sample-schema.js'

/** One thing a person has to say: what an identity is, what a reference means, whose the rows of a table are. */
export interface Question {
  /** `collection.field` or collection. */
  readonly place: string
  /** `declined`: nothing that is proposed for a table is right. `left`: the person leaves it open. */
  readonly answer: AnswerSort | 'declined' | 'left'
  /** Nobody asked: the person has to know by themselves that something is to be said. */
  readonly unasked?: true
}

export interface Answering {
  /** What comes of it. */
  readonly dataset: Dataset
  readonly questions: readonly Question[]
  /** Every reference that was open at some time. One answer may close several. */
  readonly reported: ReadonlySet<string>
  /** What is open at the end, while nobody said that it is to stay so. */
  readonly unanswered: readonly string[]
}

type Open = Pick<OpenReference, 'name' | 'collection' | 'field' | 'to' | 'answers'>

/**
 * Answers a draft as a person does. What needs nobody is applied; identities are looked at table by table; then the list of
 * what is open is gone through from its top, and made anew after each answer. What nobody asked is said at last.
 */
export async function answering(
  privacy: PrivacyService,
  schema: SampleSchema,
  draft: DatasetDraft,
): Promise<Answering> {
  const { name, answers, truth } = schema
  const { proposals } = draft
  const dataset = unasked(draft, answers)
  const waiting = new Map(Object.entries(answers.asked))
  const offers = new Set<string>()
  const reported = new Set<string>()
  const questions: Question[] = []

  const attach = async (): Promise<readonly Open[]> => {
    const { open } = await privacy.connections.attachDataset(name, dataset)
    const references = [...open.references, ...(await unreferenced(privacy, name, open.references))]
    for (const each of references.flatMap(offersOf)) offers.add(each)
    return references
  }
  const report = async (): Promise<readonly Open[]> => {
    const references = await attach()
    for (const { name: each } of references) reported.add(each)
    return references
  }
  const give = async (place: string, isUnasked = false): Promise<void> => {
    const answer = waiting.get(place) as Answer
    waiting.delete(place)
    if (answer.references) {
      // What such a reference may mean is offered when it is there.
      writeAnswer(dataset, place, { references: answer.references.map(({ direction: _, ...each }) => each) })
      await attach()
    }
    const sort = sortOf(place, answer, { dataset: name, proposals, offers })
    questions.push({ place, answer: sort, ...(isUnasked && { unasked: true }) })
    writeAnswer(dataset, place, answer)
  }

  await report()
  for (const { name: table } of dataset.collections) {
    const isAsked = proposals.some((each) => each.collection === table && isIdentityQuestion(each))
    const places = [...waiting].flatMap(([place, { identity, owner }]) =>
      (identity !== undefined && tableOf(place) === table) || (place === table && owner?.length === 0) ? [place] : [],
    )
    if (isAsked) {
      for (const place of places) {
        await give(place)
        await attach()
      }
      if (places.length === 0) questions.push({ place: table, answer: 'declined' })
    }
  }
  for (;;) {
    const open = await report()
    const left = open.filter(({ collection }) => truth[collection]?.undecided)
    const found = open.filter((each) => !left.includes(each)).flatMap((each) => answerFor(each, waiting))
    const [asked] = found
    if (asked !== undefined) {
      await give(asked)
      continue
    }
    const [untold] = waiting.keys()
    if (untold !== undefined) {
      await give(untold, true)
      continue
    }
    for (const table of new Set(left.map(({ collection }) => collection)))
      questions.push({ place: table, answer: 'left' })
    return {
      dataset,
      questions,
      reported,
      unanswered: open.filter((each) => !left.includes(each)).map((each) => each.name),
    }
  }
}

/** What the draft itself takes for wrong more often than right asks nobody anything. */
function isIdentityQuestion({ kind, confidence }: Proposal): boolean {
  return kind === 'identity' && confidence >= 0.5
}

/** The places whose answers may close a reference, the nearest first. */
function answerFor({ collection, field, to }: Open, waiting: ReadonlyMap<string, Answer>): readonly string[] {
  const nearest = [
    ...field.split(', ').map((part) => `${collection}.${part}`),
    collection,
    ...(to === null ? [] : [to.slice(to.indexOf(':') + 1)]),
  ]
  const beside = [...waiting].flatMap(([place, { identity }]) =>
    identity === undefined && tableOf(place) === collection ? [place] : [],
  )
  return [...nearest.filter((place) => waiting.has(place)), ...beside]
}

/** Columns named like keys of what is somebody's, for which no reference is described: findings tell of them. */
async function unreferenced(privacy: PrivacyService, name: string, open: readonly Open[]): Promise<readonly Open[]> {
  const findings = await privacy.datasets.findings(name)
  return findings.flatMap(({ type, loc }): Open[] => {
    const [, collection, field] = loc
    const place = `${collection}.${field}`
    if (type !== 'undescribed_reference' || open.some((each) => each.name === `${name}:${place}`)) return []
    const answers = [{ write: 'reviewed', at: place, value: true, means: 'it leads nowhere' }] as const
    return [{ name: `${name}:${place}`, collection: `${collection}`, field: `${field}`, to: null, answers }]
  })
}

function tableOf(place: string): string {
  return place.split('.')[0] as string
}
