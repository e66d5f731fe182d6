import type { Dataset, Proposal } from '@habeas/core'
import { CommandFailure } from '../command-end.js'
import type { LocalService } from '../config/open-service.js'
import { accepting, refusing, withReason } from '../datasets/decide-proposals.js'
import type { NamedAnswer, OpenQuestion } from '../datasets/open-question.js'
import { type Known, knownOf, questionsOf } from '../datasets/open-questions.js'
import { askOne, askSome, askText, QuestionLeft } from '../prompts.js'
import { say, type Terminal } from '../terminal.js'

/** A dataset that is asked about, and the connection it lies behind. */
export interface Asked {
  readonly connection: string
  readonly before: Dataset
}

/** Datasets as the answers have changed them. */
export type Given = readonly (readonly [Asked, Dataset])[]

/** Asks a person. What was answered before a question was left can be kept. */
export async function askPerson(terminal: Terminal, local: LocalService, asked: readonly Asked[]): Promise<Given> {
  const known = await knownOf(local)
  const given = new Map<Asked, Dataset>()
  try {
    for (const each of asked) await askAll(terminal, local, { each, known, note: (after) => given.set(each, after) })
  } catch (error) {
    if (!(error instanceof QuestionLeft) || [...given].every(([{ before }, after]) => after === before)) throw error
    const choices = [
      { value: 'yes', label: 'yes' },
      { value: 'no', label: 'no' },
    ] as const
    if ((await askOne(terminal, { message: 'Write down what was answered so far?', choices })) === 'no') throw error
  }
  return [...given]
}

/** Asks all that is open in a dataset, and notes the dataset after each answer. */
async function askAll(
  terminal: Terminal,
  local: LocalService,
  { each: { connection, before }, known, note }: { each: Asked; known: Known; note: (after: Dataset) => void },
): Promise<void> {
  const { openIn } = await questionsOf(local, { connection, key: before.service_key, known })
  let after = await decided(terminal, before, (await openIn(before)).proposals, note)
  // what refers to a row by now is no personal data by itself
  after = await categorised(terminal, after, (await openIn(after)).proposals, note)
  const passed = new Set<string>()
  for (;;) {
    const { open } = await openIn(after)
    const question = open.find(({ name, proposal }) => proposal === undefined && !passed.has(name))
    if (!question) return
    passed.add(question.name)
    after = await answered(terminal, after, question)
    note(after)
  }
}

/** Asks for every proposal but categories. */
async function decided(
  terminal: Terminal,
  before: Dataset,
  proposals: readonly Proposal[],
  note: (after: Dataset) => void,
): Promise<Dataset> {
  let after = before
  for (const each of proposals) {
    if (each.kind === 'category') continue
    after = await decidedOne(terminal, after, proposals, each)
    note(after)
  }
  return after
}

/** Asks for the categories. Those of a collection are one question. */
async function categorised(
  terminal: Terminal,
  before: Dataset,
  proposals: readonly Proposal[],
  note: (after: Dataset) => void,
): Promise<Dataset> {
  let after = before
  const categories = new Map<string, Extract<Proposal, { kind: 'category' }>[]>()
  for (const each of proposals)
    if (each.kind === 'category') categories.set(each.collection, [...(categories.get(each.collection) ?? []), each])
  for (const [collection, list] of categories) {
    const chosen = await askSome(terminal, {
      message: `Which columns of '${collection}' hold this personal data?`,
      choices: list.map(({ id, field, category, reason }) => ({
        value: id,
        label: `${field}: ${category}`,
        hint: reason,
      })),
      preset: list.map(({ id }) => id),
    })
    after = accepting(after, proposals, chosen)
    note(after)
    const others = list.filter(({ id }) => !chosen.includes(id))
    if (others.length === 0) continue
    const names = others.map(({ field }) => field).join(', ')
    const message = `Why does ${names} hold no personal data? Empty leaves it open.`
    const reason = (await askText(terminal, { message, isOptional: true })).trim()
    if (reason === '') continue
    after = refusing(after, others, reason)
    note(after)
  }
  return after
}

/** From this confidence on, a proposal is what somebody takes who presses Enter. */
const sure = 0.8

async function decidedOne(
  terminal: Terminal,
  dataset: Dataset,
  proposals: readonly Proposal[],
  { id, reason, confidence }: Proposal,
): Promise<Dataset> {
  const chosen = await askOne<'yes' | 'no' | 'later'>(terminal, {
    message: `${id}? ${reason}`,
    choices: [
      { value: 'yes', label: 'yes' },
      { value: 'no', label: 'no' },
      { value: 'later', label: 'leave it open' },
    ],
    preset: confidence < sure ? 'later' : 'yes',
  })
  if (chosen === 'yes') return accepting(dataset, proposals, [id])
  return chosen === 'no'
    ? refusing(
        dataset,
        proposals.filter((each) => each.id === id),
        undefined,
      )
    : dataset
}

async function answered(
  terminal: Terminal,
  dataset: Dataset,
  { name, why, answers, preset }: OpenQuestion,
): Promise<Dataset> {
  const later = 'later'
  const chosen = await askOne<string>(terminal, {
    message: `What does ${name} say? ${why}`,
    choices: [
      ...answers.map((each) => ({ value: each.name, label: each.name, hint: each.means })),
      { value: later, label: 'leave it open' },
    ],
    // Where nothing is proposed, a person who presses Enter without reading decides nothing.
    preset: preset ?? later,
  })
  const found = answers.find((each) => each.name === chosen)
  const after = found ? await writtenBy(terminal, dataset, found) : dataset
  if (found?.leavesOut === undefined) return after
  const message = `Why is ${name} left out? Empty says no more than that it is reviewed, and 'habeas check' asks again.`
  const reason = (await askText(terminal, { message, isOptional: true })).trim()
  return reason === '' ? after : withReason(after, found.leavesOut, reason)
}

/** The dataset with an answer, and with what the person says in place of the words that it asks for. Asks again what cannot be. */
async function writtenBy(terminal: Terminal, dataset: Dataset, { asks = {}, write }: NamedAnswer): Promise<Dataset> {
  for (;;) {
    const given: Record<string, string> = {}
    for (const [word, message] of Object.entries(asks)) given[word] = (await askText(terminal, { message })).trim()
    try {
      return write(dataset, given)
    } catch (error) {
      if (!(error instanceof CommandFailure) || Object.keys(asks).length === 0) throw error
      say(terminal, error.message)
    }
  }
}
