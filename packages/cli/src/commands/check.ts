import { type Dataset, isPrivacyError } from '@habeas/core'
import { type ExitCode, exitCodes, failed, wrongUsage } from '../command-end.js'
import { type LocalService, needConnection, openLocal, type ServiceOptions } from '../config/open-service.js'
import { columnNotes } from '../datasets/column-notes.js'
import { linkedDatasets } from '../datasets/linked-datasets.js'
import { everything } from '../everything.js'
import {
  documentFindings,
  giveProblems,
  ignoredMembers,
  manifestProblems,
  type Problem,
  placeOf,
  problemOf,
} from '../problems.js'
import { giveJson, say, type Terminal } from '../terminal.js'
import { foundByPolicies } from './check-policies.js'

export interface CheckOptions extends Pick<ServiceOptions, 'config'> {
  readonly json?: boolean
  readonly annotations?: boolean
  /** False: databases are not asked, so that nothing is said of what descriptions leave out. */
  readonly coverage?: boolean
  /** Refused: a service does not tell what its descriptions leave out. */
  readonly url?: string
}

/**
 * Checks files, descriptions against live schemas, open references, and prohibitions of policies. Rejects after all that it has
 * found is told, where a database could not be read.
 */
export async function check(terminal: Terminal, options: CheckOptions): Promise<ExitCode> {
  if (options.url !== undefined)
    throw wrongUsage(
      "'habeas check' compares files with databases, and asks no service: write what the service holds into the files with 'habeas pull --url …', then run 'habeas check' without --url.",
    )
  const { problems, notes, failure } = await foundBy(terminal, options)
  const annotate = options.annotations ?? terminal.env['GITHUB_ACTIONS'] === 'true'
  if (options.json) giveJson(terminal, { problems, notes })
  else giveProblems(terminal, problems, annotate)
  for (const note of notes) say(terminal, note)
  if (problems.length > 0) say(terminal, summary(problems))
  if (failure) throw failure
  if (problems.length === 0) say(terminal, fine(options))
  return problems.length === 0 ? exitCodes.fine : exitCodes.findings
}

interface Found {
  readonly problems: readonly Problem[]
  /** What is not compared with a database, and need not be, and what policies could say nothing about. */
  readonly notes: readonly string[]
  /** Why a database could not be read. */
  readonly failure?: unknown
}

const nothingThere =
  "There is nothing to check, because no file is where 'files' of the configuration says: correct it, or run 'habeas draft'."

const readFirst = 'Databases, references and policies are checked once all datasets can be read.'

const fine = ({ coverage }: CheckOptions) =>
  coverage === false
    ? 'The files have no problem. No database was asked: what they leave out, and what is open, is not known.'
    : 'Everything that keys and names show is described and decided.'

function summary(problems: readonly Problem[]): string {
  const helps = (command: Problem['next']) => problems.some(({ next }) => next === command)
  const drafts = helps('draft') ? " 'habeas draft' describes new tables and columns." : ''
  const questions = helps('answer') ? " 'habeas answer' walks through what is open." : ''
  return `${problems.length === 1 ? '1 problem' : `${problems.length} problems`}.${drafts}${questions}`
}

async function foundBy(terminal: Terminal, options: CheckOptions): Promise<Found> {
  try {
    await using local = await openLocal(terminal, options, { asks: options.coverage === false ? [] : undefined })
    if (!local.applied && options.coverage === false) throw wrongUsage(nothingThere)
    return await problemsOf(local, options)
  } catch (error) {
    // a text that cannot be read refuses the whole manifest
    if (!isPrivacyError(error, 'invalid_input') || !error.details.issues.some(({ file }) => file)) throw error
    return { problems: error.details.issues.map((issue) => problemOf(issue, 'manifest')), notes: [] }
  }
}

/** What is wrong in the files, and between them and the databases. */
export async function problemsOf(local: LocalService, options: Pick<CheckOptions, 'coverage'>): Promise<Found> {
  // without a dataset that the files mean to describe, everything that names it would seem to be wrong
  if ((local.applied?.dataset?.failed ?? []).length > 0)
    return { problems: [...manifestProblems(local.applied), ...ignoredMembers(local.applied)], notes: [readFirst] }
  const isRead = options.coverage !== false
  const { unread, references, ...coverage } = isRead
    ? await coverageOf(local)
    : { problems: [], references: [], notes: [], unread: [] }
  const datasets = await everything((page) => local.privacy.datasets.list(page))
  const found = await findingProblems(local, datasets, { unread, references })
  // without the schemas more looks open than is
  const findings = [...found.filter(({ of }) => isRead || of !== 'question'), ...documentFindings(local.applied)]
  const policies = await foundByPolicies(local)
  const told = new Set([...coverage.problems, ...findings].map(({ place }) => place))
  const written = new Set<string>()
  for (const [key, { access }] of Object.entries(local.config.connections ?? {}))
    if (access === 'write') for (const each of await linkedDatasets(local, key)) written.add(each.service_key)
  const asked = new Set(findings.flatMap(({ of, place }) => (of === 'question' ? [place] : [])))
  return {
    ...coverage,
    notes: [
      ...coverage.notes,
      ...datasets.flatMap((each) => columnNotes(each, { told, erases: written.has(each.service_key) })),
      ...policies.notes,
    ],
    problems: [
      ...manifestProblems(local.applied),
      ...ignoredMembers(local.applied),
      ...coverage.problems,
      // a question about a reference has the answers as well
      ...references.filter(({ place }) => !asked.has(place)),
      ...findings,
      ...policies.problems,
    ],
  }
}

interface Coverage extends Found {
  /** Foreign keys of which no description says what they mean. */
  readonly references: readonly Problem[]
  /** Datasets that were compared with no database, as they were to be. */
  readonly unread: readonly string[]
}

async function coverageOf(local: LocalService): Promise<Coverage> {
  const undescribed: Problem[] = []
  for (const key of Object.keys(local.config.connections ?? {}))
    if ((await linkedDatasets(local, key)).length === 0)
      undescribed.push({
        ...{ of: 'coverage', place: key, next: 'draft' },
        message: `No dataset describes the connection '${key}': describe it in one with connection_key: ${key}, or take it out of the configuration.`,
      })
  const { gaps, unread } = await local.privacy.datasets.coverage()
  const gapProblems = (some: typeof gaps) =>
    some.map(
      ({ kind, dataset, collection, field, message, path }): Problem => ({
        of: 'coverage',
        place: `${dataset}:${collection}${field === undefined ? '' : `.${field}`}`,
        message,
        ...(path !== undefined && { path }),
        ...((kind === 'table' || kind === 'column') && { next: 'draft' }),
        ...(kind === 'category' && field !== undefined && { next: 'answer' }),
      }),
    )
  const isNote = ({ reason }: (typeof unread)[number]) => reason === 'unlinked' || reason === 'schemas'
  const failed = unread.filter((each) => !isNote(each))
  const failure = await failureOf(local, failed[0]?.message)
  const notes = unread.filter(isNote).map(({ message }) => message)
  return {
    problems: [...undescribed, ...gapProblems(gaps.filter(({ kind }) => kind !== 'reference'))],
    references: gapProblems(gaps.filter(({ kind }) => kind === 'reference')),
    notes,
    unread: failed.map(({ dataset }) => dataset),
    ...(failure !== undefined && { failure }),
  }
}

/** Why a database does not answer, where one could not be read. */
async function failureOf(local: LocalService, message: string | undefined): Promise<unknown> {
  if (message === undefined) return undefined
  try {
    for (const key of Object.keys(local.config.connections ?? {})) await needConnection(local, key)
    return failed(message)
  } catch (error) {
    return error
  }
}

/**
 * Open references, and what else is probably wrong. What coverage says is not said twice. Without the schema of its database a
 * dataset looks more open than it is, so nothing is said of the unread ones.
 */
async function findingProblems(
  { privacy }: LocalService,
  datasets: readonly Dataset[],
  { unread, references }: Pick<Coverage, 'unread' | 'references'>,
): Promise<Problem[]> {
  const problems: Problem[] = []
  const told = new Set(references.map(({ place }) => place))
  const hasSystems = (await privacy.systems.list({ size: 1 })).total > 0
  for (const { service_key: key } of datasets) {
    if (unread.includes(key)) continue
    for (const { type, severity, loc, message } of await privacy.datasets.findings(key)) {
      if (severity === 'info' || saidByCoverage.has(type) || (type === 'orphan_dataset' && !hasSystems)) continue
      if (type === 'undescribed_reference' && told.has(placeOf(loc))) continue
      const isOpen = openTypes.has(type)
      problems.push({
        of: isOpen ? 'question' : 'finding',
        place: placeOf(loc),
        message,
        ...(isOpen && { next: 'answer' }),
      })
    }
  }
  return problems
}

/** What `habeas answer` asks. */
const openTypes = new Set([
  ...['open_reference', 'identity_inferred', 'identity_doubted', 'undeclared_identity'],
  ...['unreachable_collection', 'undescribed_reference', 'uncovered_types'],
])

const saidByCoverage = new Set(['missing_collection', 'missing_column', 'live_schema_unknown'])
