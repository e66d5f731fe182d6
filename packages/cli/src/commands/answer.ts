import { isDeepStrictEqual } from 'node:util'
import type { Dataset, Proposal } from '@habeas/core'
import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import { type LocalService, needConnection, openLocal, type ServiceOptions } from '../config/open-service.js'
import { datasetChange } from '../datasets/dataset-change.js'
import { accepting, refusing, withReason } from '../datasets/decide-proposals.js'
import { linkedDatasets } from '../datasets/linked-datasets.js'
import { changeText, rewrittenNote, writeChange } from '../datasets/manifest-change.js'
import type { NamedAnswer, OpenQuestion } from '../datasets/open-question.js'
import { knownOf, questionsOf } from '../datasets/open-questions.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { type AskedSource, unknownName } from '../datasets/unknown-name.js'
import { give, giveJson, giveLine, say, type Terminal } from '../terminal.js'
import { type Asked, askPerson, type Given } from './ask-person.js'
import { problemsOf } from './check.js'

export interface AnswerOptions extends Pick<ServiceOptions, 'config'> {
  /** Ids of proposals. */
  readonly accept?: readonly string[]
  readonly refuse?: readonly string[]
  /** Why the refused columns hold no personal data, and why what is said to be `reviewed` is left out. */
  readonly reason?: string
  /** Answers to what is open: `shop:review.customer_id=from`. */
  readonly say?: readonly string[]
  readonly json?: boolean
}

/** Walks through what is open, and writes the answers into the files. */
export async function answer(terminal: Terminal, options: AnswerOptions): Promise<ExitCode> {
  await using local = await openLocal(terminal, options)
  refuseBroken(terminal, local.applied)
  const asked: Asked[] = []
  for (const connection of Object.keys(local.config.connections ?? {})) {
    const datasets = await linkedDatasets(local, connection)
    if (datasets.length > 0) await needConnection(local, connection)
    for (const before of datasets) asked.push({ connection, before })
  }
  if (asked.length === 0)
    throw wrongUsage("No dataset is linked to a connection of the configuration: run 'habeas draft' first.")
  const isSaid = [options.accept, options.refuse, options.say].some((list) => list && list.length > 0)
  if (!isSaid && !terminal.asks) return await listed(terminal, local, asked, options)
  const given = isSaid ? await fromOptions(local, asked, options) : await askPerson(terminal, local, asked)
  for (const [{ connection, before }, after] of given) {
    if (isDeepStrictEqual(before, after)) continue
    const change = datasetChange(local.config, after, { before, connectionKey: connection })
    if (!change) continue
    writeChange(change)
    if (!options.json) give(terminal, changeText(change))
    say(terminal, `${change.file} is changed.`)
    if (change.isRewritten) say(terminal, rewrittenNote(change))
  }
  await using again = await openLocal(terminal, options)
  return await listed(terminal, again, asked, options)
}

/** What is open still, as the options take it. */
async function listed(
  terminal: Terminal,
  local: LocalService,
  asked: readonly Asked[],
  { json }: AnswerOptions,
): Promise<ExitCode> {
  const known = await knownOf(local)
  const all: { dataset: string; proposals: readonly Proposal[]; open: readonly OpenQuestion[] }[] = []
  for (const { connection, before } of asked) {
    const [dataset] = (await linkedDatasets(local, connection)).filter(
      ({ service_key: key }) => key === before.service_key,
    )
    if (!dataset) continue
    const { service_key: key } = dataset
    const { openIn } = await questionsOf(local, { connection, key, known })
    const { proposals, open } = await openIn(dataset)
    all.push({ dataset: key, proposals, open: open.filter(({ proposal }) => proposal === undefined) })
  }
  const count = all.reduce((sum, { proposals, open }) => sum + proposals.length + open.length, 0)
  if (json) giveJson(terminal, { datasets: all })
  else
    for (const { dataset, proposals, open } of all) {
      for (const { id, confidence, reason } of proposals)
        giveLine(terminal, `--accept ${all.length > 1 ? `${dataset}:` : ''}${id}\t${confidence}\t${reason}`)
      for (const { name, why, answers } of open) {
        giveLine(terminal, `${name} is open: ${why}`)
        for (const { name: answer, means, leavesOut } of answers)
          giveLine(terminal, `  --say ${name}=${answer}${leavesOut === undefined ? '' : ' --reason …'}\t${means}`)
      }
    }
  say(
    terminal,
    count === 0 ? await nothingOpen(local) : `${count} ${count === 1 ? 'question is' : 'questions are'} open.`,
  )
  return count === 0 ? exitCodes.fine : exitCodes.findings
}

/** Not everything that is to be done has answers to choose from. */
async function nothingOpen(local: LocalService): Promise<string> {
  const { problems } = await problemsOf(local, {})
  if (problems.length === 0) return 'Nothing is open.'
  const found = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  return `Nothing is open, and 'habeas check' finds ${found} that no answer settles: run it.`
}

async function fromOptions(local: LocalService, asked: readonly Asked[], options: AnswerOptions): Promise<Given> {
  const { accept = [], refuse = [], say: said = [], reason } = options
  const bare = said.find((text) => !text.includes('='))
  if (bare !== undefined)
    throw wrongUsage(
      `--say takes a question and its answer, such as ${bare}=from: 'habeas answer' without options lists them.`,
    )
  const known = await knownOf(local)
  const names = { proposals: new Set<string>(), questions: new Set<string>() }
  const places = new Map<string, string[]>()
  const given: [Asked, Dataset][] = []
  const sources: AskedSource[] = []
  for (const each of asked) {
    const { connection, before } = each
    const key = before.service_key
    const { drafted: proposals, openIn } = await questionsOf(local, { connection, key, known })
    sources.push({ dataset: before, openIn })
    /** Whether a text that was given names this, with its dataset or without. */
    const isMeant = (id: string) => (text: string) => {
      if (text !== id && text !== `${key}:${id}`) return false
      places.set(text, [...new Set([...(places.get(text) ?? []), text === id ? key : ''])])
      return true
    }
    const mine = (ids: readonly string[]) => proposals.filter(({ id }) => ids.filter(isMeant(id)).length > 0)
    const accepted = accepting(
      before,
      proposals,
      mine(accept).map(({ id }) => id),
    )
    let after = refusing(accepted, mine(refuse), reason)
    const listed = said.length > 0 ? (await openIn(before)).open : []
    for (const { id } of proposals) names.proposals.add(id).add(`${key}:${id}`)
    for (const { name } of listed) names.questions.add(name.slice(key.length + 1)).add(name)
    for (const text of said) {
      const { open } = await openIn(after)
      const [named, wanted] = [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]
      // an answer before it may have closed what was listed
      const question = [...open, ...listed].find(({ name }) => isMeant(name.slice(key.length + 1))(named))
      if (question) after = answerTo(question, wanted, reason)(after)
    }
    given.push([each, after])
  }
  for (const [name, keys] of places)
    if (keys.length > 1)
      throw wrongUsage(`'${name}' is in several datasets: write ${keys.map((key) => `'${key}:${name}'`).join(' or ')}.`)
  const isUnknown = (name: string) => !places.has(name)
  const named = said.map((text) => text.split('=')[0] as string)
  const [proposal] = [...accept, ...refuse].filter(isUnknown)
  if (proposal !== undefined) throw await unknownName(local.config, sources, proposal, names.proposals)
  const [question] = named.filter(isUnknown)
  if (question !== undefined) throw await unknownName(local.config, sources, question, names.questions)
  return given
}

function answerTo({ name, answers }: OpenQuestion, wanted: string, reason: string | undefined) {
  const [found, given] = chosenAnswer(answers, wanted) ?? []
  if (!found)
    throw wrongUsage(`'${wanted}' is no answer to ${name}. There are: ${answers.map((each) => each.name).join(', ')}.`)
  const [left] = Object.entries(found.asks ?? {}).find(([word]) => given?.[word] === word) ?? []
  if (left !== undefined) throw wrongUsage(`'${wanted}' is no answer yet: write what you mean in place of ${left}.`)
  const { leavesOut } = found
  if (leavesOut === undefined) return (dataset: Dataset) => found.write(dataset, given)
  if (!reason) throw wrongUsage(`'${name}=${wanted}' leaves a column out for good: say why, with --reason.`)
  return (dataset: Dataset) => withReason(found.write(dataset), leavesOut, reason)
}

function withoutLast(text: string, word: string): string {
  const at = text.lastIndexOf(word)
  return `${text.slice(0, at)}\0${text.slice(at + word.length)}`
}

/** The answer with this name, and what stands in it in place of the words that are asked for. */
function chosenAnswer(
  answers: readonly NamedAnswer[],
  wanted: string,
): [NamedAnswer, Record<string, string>] | undefined {
  for (const each of answers) {
    const words = Object.keys(each.asks ?? {})
    // a name before it may hold the word as well
    const parts = words.reduce(withoutLast, each.name).split('\0')
    const pattern = new RegExp(`^${parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.+?)')}$`)
    const found = pattern.exec(wanted)
    if (found) return [each, Object.fromEntries(words.map((word, at) => [word, found[at + 1] as string]))]
  }
  return undefined
}
