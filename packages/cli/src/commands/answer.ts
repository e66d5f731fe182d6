import { applyProposals, type Dataset, nearestHint, type Proposal } from '@habeas/core'
import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import { type LocalService, needConnection, openLocal, type ServiceOptions } from '../config/open-service.js'
import { datasetChange } from '../datasets/dataset-change.js'
import { linkedDatasets } from '../datasets/linked-datasets.js'
import { changeText, rewrittenNote, writeChange } from '../datasets/manifest-change.js'
import { accepting, type OpenQuestion, questionsOf, undecidedFields, withReason } from '../datasets/open-questions.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { askOne, askSome, askText } from '../prompts.js'
import { give, giveJson, giveLine, say, type Terminal } from '../terminal.js'
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

interface Asked {
  readonly connection: string
  readonly before: Dataset
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
  const given = isSaid ? await fromOptions(local, asked, options) : await fromPerson(terminal, local, asked)
  for (const [{ connection, before }, after] of given) {
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
  const undecided = await undecidedFields(local)
  const all: { dataset: string; proposals: readonly Proposal[]; open: readonly OpenQuestion[] }[] = []
  for (const { connection, before } of asked) {
    const [dataset] = (await linkedDatasets(local, connection)).filter(
      ({ service_key: key }) => key === before.service_key,
    )
    if (!dataset) continue
    const { service_key: key } = dataset
    const { openIn } = await questionsOf(local, { connection, key, undecided })
    all.push({ dataset: key, ...(await openIn(dataset)) })
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

type Given = readonly (readonly [Asked, Dataset])[]

async function fromOptions(local: LocalService, asked: readonly Asked[], options: AnswerOptions): Promise<Given> {
  const { accept = [], refuse = [], say: said = [], reason } = options
  const undecided = await undecidedFields(local)
  const known = { proposals: new Set<string>(), questions: new Set<string>() }
  const places = new Map<string, string[]>()
  const given: [Asked, Dataset][] = []
  for (const each of asked) {
    const { connection, before } = each
    const key = before.service_key
    const { drafted: proposals, openIn } = await questionsOf(local, { connection, key, undecided })
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
    for (const { id } of proposals) known.proposals.add(id).add(`${key}:${id}`)
    for (const { name } of listed) known.questions.add(name.slice(key.length + 1)).add(name)
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
  refuseUnknown([...accept, ...refuse], places, known.proposals)
  refuseUnknown(
    said.map((text) => text.split('=')[0] as string),
    places,
    known.questions,
  )
  return given
}

function refuseUnknown(
  names: readonly string[],
  places: ReadonlyMap<string, unknown>,
  known: ReadonlySet<string>,
): void {
  const unknown = names.find((name) => !places.has(name))
  if (unknown === undefined) return
  const each = [...known].filter((name) => name.startsWith(`${unknown}@`))
  const hint =
    each.length > 0 ? `: say it for each of ${each.map((name) => `'${name}'`).join(', ')}` : nearestHint(unknown, known)
  throw wrongUsage(
    `Nothing that is open is called '${unknown}'${hint}. Where nobody can be asked, 'habeas answer' without options lists what is.`,
  )
}

function answerTo({ name, answers }: OpenQuestion, wanted: string, reason: string | undefined) {
  const found = answers.find((each) => each.name === wanted)
  if (found)
    return (dataset: Dataset) => {
      const after = found.write(dataset)
      return reason && found.leavesOut !== undefined ? withReason(after, found.leavesOut, reason) : after
    }
  throw wrongUsage(`'${wanted}' is no answer to ${name}. There are: ${answers.map((each) => each.name).join(', ')}.`)
}

/** Marks columns as reviewed, or writes down why they hold no personal data. */
function refusing(dataset: Dataset, proposals: readonly Proposal[], reason: string | undefined): Dataset {
  const refused = (list: readonly Proposal[]) => applyProposals(dataset, list, { refuse: () => true, atLeast: 1 })
  if (!reason) return refused(proposals)
  const categories = proposals.filter(({ kind }) => kind === 'category')
  return categories.reduce(
    (waived, each) => ('field' in each ? withReason(waived, `${each.collection}.${each.field}`, reason) : waived),
    refused(proposals.filter(({ kind }) => kind !== 'category')),
  )
}

async function fromPerson(terminal: Terminal, local: LocalService, asked: readonly Asked[]): Promise<Given> {
  const undecided = await undecidedFields(local)
  const given: [Asked, Dataset][] = []
  for (const each of asked) {
    const { connection, before } = each
    const { openIn } = await questionsOf(local, { connection, key: before.service_key, undecided })
    const { proposals } = await openIn(before)
    let after = await decided(terminal, before, proposals)
    const passed = new Set<string>()
    for (;;) {
      const { open } = await openIn(after)
      const question = open.find(({ name }) => !passed.has(name))
      if (!question) break
      passed.add(question.name)
      after = await answered(terminal, after, question)
    }
    given.push([each, after])
  }
  return given
}

/** Asks for every proposal. The categories of a collection are one question. */
async function decided(terminal: Terminal, before: Dataset, proposals: readonly Proposal[]): Promise<Dataset> {
  let after = before
  const categories = new Map<string, Extract<Proposal, { kind: 'category' }>[]>()
  for (const each of proposals) {
    if (each.kind === 'category') categories.set(each.collection, [...(categories.get(each.collection) ?? []), each])
    else after = await decidedOne(terminal, after, proposals, each)
  }
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
    const others = list.filter(({ id }) => !chosen.includes(id))
    if (others.length === 0) continue
    const names = others.map(({ field }) => field).join(', ')
    const message = `Why does ${names} hold no personal data? Empty leaves it open.`
    const reason = (await askText(terminal, { message, isOptional: true })).trim()
    if (reason !== '') after = refusing(after, others, reason)
  }
  return after
}

async function decidedOne(
  terminal: Terminal,
  dataset: Dataset,
  proposals: readonly Proposal[],
  { id, reason }: Proposal,
): Promise<Dataset> {
  const chosen = await askOne<'yes' | 'no' | 'later'>(terminal, {
    message: `${id}? ${reason}`,
    choices: [
      { value: 'yes', label: 'yes' },
      { value: 'no', label: 'no' },
      { value: 'later', label: 'leave it open' },
    ],
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
    ...(preset !== undefined && { preset }),
  })
  const found = answers.find((each) => each.name === chosen)
  const after = found?.write(dataset) ?? dataset
  if (found?.leavesOut === undefined) return after
  const message = `Why is ${name} left out? Empty says no more than that it is reviewed, and 'habeas check' asks again.`
  const reason = (await askText(terminal, { message, isOptional: true })).trim()
  return reason === '' ? after : withReason(after, found.leavesOut, reason)
}
