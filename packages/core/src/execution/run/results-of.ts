import { formatAddress, placeOf } from '../../model/address.js'
import type { CollectionResult, UndecidedResult } from '../../model/collection-result.js'
import type { Plan, PlannedCollection } from '../../rules/plan/plan.js'
import { unsearchedReason } from '../../rules/plan/plan-wording.js'
import { unservedSpellings } from '../../rules/plan/served-spellings.js'
import { unsearchableIdentities } from '../../rules/plan/unsearchable-identities.js'
import { countedRows, counted as countOf } from '../../rules/value/counted-rows.js'
import type { OpenCount } from '../find/open-counts.js'
import { type NotFollowed, type RowCounts, rowsFound, type UndecidedRows } from '../find/row-counts.js'
import { type ComponentEnd, completed } from '../find/run-access.js'
import type { InputNeeded } from '../manual/input-needed.js'
import type { RequestProgress } from './request-progress.js'
import { causeOf, type RunEnd } from './run-end.js'

/** Logs how a component has ended, once for each of its collections. */
export function report(progress: RequestProgress, members: readonly PlannedCollection[], end: ComponentEnd): void {
  for (const member of members) {
    if (end.state === 'waiting') {
      // A component that only waits for people runs once they have answered, and is logged then.
      if (end.for === 'failed') progress.collection(member, 'skipped', 'not run: what leads to it failed')
    } else if (end.state === 'paused') progress.collection(member, 'paused', 'waits for rows that people look up')
    else if (end.state === 'error')
      progress.collection(member, 'error', end.error.message, { durationMs: end.durationMs }, 'access', end.error)
    else if (!end.restored) {
      const found = end.outcome.collections.find(({ address }) => address === member.address)
      const { shared = 0, others = 0, notFollowed = [], undecided = [] } = found?.counts ?? {}
      const rowCount = rowsFound(found?.counts)
      const open = undecided.reduce((sum, { rows }) => sum + rows, 0)
      const notes = [
        shared > 0 && `${shared} shared with other people`,
        others > 0 && `${others} of other people left out`,
        open > 0 && `${open} left out because nobody has said whose they are`,
        ...notFollowed.map(notFollowedMessage),
      ].filter(Boolean)
      const message = `found ${countedRows(rowCount)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
      progress.collection(member, 'complete', message, { rowCount, durationMs: end.durationMs })
    }
  }
}

const notFollowedMessage = ({ reference, to, values }: NotFollowed) =>
  `${countOf(values, 'value')} of '${reference}' not followed, since the field of '${to}' that it refers to cannot hold such a value, or cannot be searched for it`

/** Returns why an erasure does not begin when values of the person's rows could not be followed, or undefined. */
export function notFollowedFailure(ends: readonly ComponentEnd[]): string | undefined {
  const all = [...completed(ends).values()].flatMap(({ counts }) => counts.notFollowed)
  const names = [...new Set(all.map(({ reference }) => `'${reference}'`))].join(', ')
  const flags = all.some(({ asBoolean }) => asBoolean)
    ? ' A column of the type TINYINT(1) or BIT(1) is a boolean, which leads to no number: give it another integer type, or a foreign key.'
    : ''
  return all.length === 0
    ? undefined
    : `Nothing was erased, since rows could stay behind: ${all.map(notFollowedMessage).join('; ')}. Correct the values or describe what they are: with 'when' where ${names} refers to several collections, 'placeholders' where a value stands for none, or \`direction: none\`.${flags}`
}

/** Returns what happened to every described collection, searched or not. */
export function resultsOf(
  plan: Plan,
  ends: readonly ComponentEnd[],
  { nearMatches, notes, counted, handsOver, unconfirmed = new Map() }: FoundBeside,
): CollectionResult[] {
  const found = completed(ends)
  const actionType = handsOver ? 'access' : 'erasure'
  const failed = new Map(
    plan.components.flatMap((component, index) => {
      const end = ends[index] as ComponentEnd
      return end.state === 'complete' ? [] : component.members.map((member) => [member, end] as const)
    }),
  )
  const searched = plan.collections.map((planned): CollectionResult => {
    const { address, dataset, collection } = planned
    const unserved = [unservedSpellings(planned), unsearchableIdentities(plan, planned)]
    const outcome = found.get(address)
    if (!outcome) {
      const end = failed.get(address)
      const [outcome, reason] = withoutRows(end)
      return { dataset, collection, actionType, outcomes: [{ outcome, rowCount: 0, reason }] }
    }
    const { others, elementsLeft } = outcome.counts
    const near = nearMatches.get(address)
    const note = notes.get(address)
    const rowCount = rowsFound(outcome.counts)
    const undecided = undecidedOf(address, outcome.counts, counted)
    const otherValues = (outcome.counts.otherValues ?? []).map(asResult)
    return {
      dataset,
      collection,
      actionType,
      outcomes: [
        rowCount > 0
          ? { ...foundOutcome(planned, handsOver), rowCount }
          : { outcome: 'nothing_found', rowCount: 0, ...(note !== undefined && { reason: note }) },
        ...(others > 0 ? [{ outcome: 'skipped' as const, rowCount: others, reason: othersReason }] : []),
        ...leftUndecided(undecided),
        ...notConfirmed(unconfirmed.get(address)),
        ...unserved.flatMap(notLookedFor),
      ],
      ...(undecided.length > 0 && { undecided }),
      ...(otherValues.length > 0 && { otherValues }),
      ...(elementsLeft > 0 && { elementsLeft }),
      ...(near !== undefined && { nearMatches: near }),
    }
  })
  const unsearched = plan.unsearched.map((each): CollectionResult => {
    const { address } = each
    // Rows may be counted where none are read.
    const undecided = undecidedOf(address, undefined, counted)
    return {
      ...placeOf(address),
      actionType,
      outcomes: [{ outcome: 'skipped', rowCount: 0, reason: unsearchedReason(each) }, ...leftUndecided(undecided)],
      ...(undecided.length > 0 && { undecided }),
    }
  })
  const known = new Set([...plan.collections, ...plan.unsearched].map(({ address }) => address))
  const only = [...new Set(plan.open.map(({ address }) => address))].filter((address) => !known.has(address))
  const others = only.map((address): CollectionResult => {
    const undecided = undecidedOf(address, undefined, counted)
    const outcomes = undecided.length > 0 ? leftUndecided(undecided) : [nothingFound]
    return { ...placeOf(address), actionType, outcomes, ...(undecided.length > 0 && { undecided }) }
  })
  return [...searched, ...others, ...unsearched]
}

function foundOutcome({ deliver }: PlannedCollection, handsOver: boolean) {
  if (!handsOver) return notErased
  return deliver.length > 0 ? delivered : onTheWay
}

function notConfirmed(properties: string | undefined): CollectionResult['outcomes'] {
  return properties === undefined
    ? []
    : [{ outcome: 'skipped', rowCount: 0, reason: `${unconfirmedReason}${properties}` }]
}

function notLookedFor(reason: string | undefined): CollectionResult['outcomes'] {
  return reason === undefined ? [] : [{ outcome: 'skipped', rowCount: 0, reason }]
}

const unconfirmedReason = 'identity not confirmed: '
const delivered = { outcome: 'delivered' } as const
const onTheWay = { outcome: 'skipped', reason: 'no rule asks for anything of it' } as const
const notErased = { outcome: 'skipped', reason: 'nothing was erased' } as const
const nothingFound = { outcome: 'nothing_found', rowCount: 0 } as const

function isLeft({ outcome, reason }: CollectionResult['outcomes'][number]): boolean {
  return (
    outcome === 'skipped' &&
    reason !== undefined &&
    (reason === othersReason || reason.startsWith(undecidedReason) || reason.startsWith(unconfirmedReason))
  )
}

/** Returns the results for rows that an erasure leaves as well: rows of other people, and undecided or unconfirmed ones. */
export function rowsLeft(found: readonly CollectionResult[]): CollectionResult[] {
  return found.flatMap(({ dataset, collection, outcomes, undecided }): CollectionResult[] => {
    const left = outcomes.filter(isLeft)
    if (left.length === 0) return []
    return [{ dataset, collection, actionType: 'erasure', outcomes: left, ...(undecided && { undecided }) }]
  })
}

/** Returns the results of an erasure, with the rows that it has left because they are somebody else's or undecided. */
export function withRowsLeft(
  results: readonly CollectionResult[],
  found: readonly CollectionResult[],
): CollectionResult[] {
  const left = new Map(
    found.flatMap((result) => {
      const isNothing = result.outcomes.length === 1 && result.outcomes[0]?.outcome === 'nothing_found'
      const outcomes = isNothing ? result.outcomes : result.outcomes.filter(isLeft)
      return outcomes.length > 0 ? [[nameOf(result), { ...result, outcomes }] as const] : []
    }),
  )
  const joined = results.map((result) => {
    const more = left.get(nameOf(result))
    if (!more) return result
    left.delete(nameOf(result))
    const told = [...result.outcomes, ...more.outcomes].filter(({ outcome }) => outcome !== 'nothing_found')
    return {
      ...result,
      outcomes: told.length > 0 ? told : [nothingFound],
      ...(more.undecided && { undecided: more.undecided }),
    }
  })
  const erased = new Set(results.map(nameOf))
  const others = found.filter((result) => !erased.has(nameOf(result)))
  return [...joined, ...others.map((result) => ({ ...result, outcomes: result.outcomes.map(asNotAskedFor) }))]
}

/** Returns the outcome of rows that were only found on the way to others. They stay as they are. */
function asNotAskedFor(outcome: CollectionResult['outcomes'][number]): CollectionResult['outcomes'][number] {
  if (outcome.reason !== notErased.reason) return outcome
  return { outcome: 'retained', rowCount: outcome.rowCount, reason: onTheWay.reason }
}

const nameOf = ({ dataset, collection }: CollectionResult) => formatAddress(dataset, collection)
const othersReason = "somebody else's"
const undecidedReason = 'undecided by '

/** What a run has found besides the rows that it has read. */
export interface FoundBeside {
  /** The numbers by address, where there are any. */
  readonly nearMatches: ReadonlyMap<string, number>
  readonly notes: ReadonlyMap<string, string>
  readonly counted: readonly OpenCount[]
  /** False when nothing that is found is delivered. */
  readonly handsOver: boolean
  /** By address, the identity properties by which a collection was not searched, because nothing confirmed them. */
  readonly unconfirmed?: ReadonlyMap<string, string>
}

const asResult = ({ by, why, rows }: UndecidedRows) => ({ reference: by, rowCount: rows, reason: why })

/** Returns the undecided rows of a collection. */
function undecidedOf(address: string, counts: RowCounts | undefined, counted: readonly OpenCount[]): UndecidedResult[] {
  return [
    ...(counts?.undecided ?? []).map(asResult),
    ...counted.flatMap(({ open, rows, why }) => {
      if (open.address !== address || rows === 0) return []
      return [{ reference: open.name, rowCount: rows ?? null, reason: why ?? open.why }]
    }),
  ]
}

function leftUndecided(undecided: readonly UndecidedResult[]): CollectionResult['outcomes'] {
  return undecided.map(({ reference, rowCount, reason }) => ({
    outcome: 'skipped' as const,
    rowCount: rowCount ?? 0,
    reason: `${undecidedReason}${reference}: ${reason}`,
  }))
}

/** Returns what happened to a collection that was not read to its end, and why. */
function withoutRows(end: ComponentEnd | undefined): ['failed' | 'skipped', string] {
  if (end?.state === 'error') return ['failed', end.error.message]
  if (end?.state === 'paused') return ['skipped', 'waits for rows that people look up']
  if (end?.state === 'waiting' && end.for === 'paused') {
    return ['skipped', 'not run: what leads to it waits for rows that people look up']
  }
  return ['failed', 'not run: what leads to it failed']
}

/** Returns the first input, in the order of the plan, that people have to give. */
export function neededInput(ends: readonly ComponentEnd[]): InputNeeded | undefined {
  return ends.flatMap((end) => (end.state === 'paused' ? [end.needed] : []))[0]
}

export interface SearchFailure extends Pick<RunEnd, 'mayPass' | 'error'> {
  /** One sentence for people. */
  readonly message: string
}

/** Returns one sentence that names what failed first. The log and the results have the rest. */
export function failureOf(plan: Plan, ends: readonly ComponentEnd[]): SearchFailure | undefined {
  const failed = ends.flatMap((end, index) =>
    end.state === 'error' ? [{ end, members: plan.components[index]?.members ?? [] }] : [],
  )
  const first = failed[0]
  if (!first) return undefined
  const more = failed.slice(1).flatMap(({ members }) => members)
  const others = more.length > 0 ? ` (and ${more.length} more: ${more.slice(0, 5).join(', ')})` : ''
  const connections = first.members.map(
    (name) => plan.collections.find(({ address }) => address === name)?.connectionKey,
  )
  const over = [...new Set(connections)].map((key) => `'${key}'`).join(' or ')
  // collections on a circle are read as one
  const [name, ...rest] = first.members
  const one = rest.length > 0 ? `One of ${first.members.slice(0, 6).join(', ')}` : name
  const message = `${one} could not be read over connection ${over}${others}: ${first.end.error.message} Retry reads only what is missing.`
  return { message, ...causeOf(failed.map(({ end }) => end.error)) }
}
