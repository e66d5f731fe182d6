import { isTransient, PrivacyError } from '../../errors.js'
import { placeOf } from '../../model/address.js'
import {
  outcomes as allOutcomes,
  type CollectionResult,
  type FieldResult,
  type Outcome,
} from '../../model/collection-result.js'
import type { ErasureTally } from '../../ports/erasure-rows.js'
import { guessText } from '../../rules/erase/guess-text.js'
import { keptOf } from '../../rules/erase/kept-of.js'
import { retainedBy } from '../../rules/erase/retained-by.js'
import { unsearchedReason } from '../../rules/plan/plan-wording.js'
import { listDepth, whyInPart, whyOnlyInsideLists } from '../../rules/plan/shared-in-part.js'
import type { MayPass } from '../../rules/request/next-retry.js'
import { counted } from '../../rules/value/counted-rows.js'
import { eraseByHand } from '../manual/erase-by-hand.js'
import type { InputNeeded } from '../manual/input-needed.js'
import { passingCause } from '../run/run-end.js'
import type { CheckedCollection } from './checked-collection.js'
import { type CollectionErasure, eraseCollection } from './erase-collection.js'
import { type CollectionToErase, collectionsToErase, type ErasureContext } from './erasure-context.js'
import { collectionsToReread } from './erasure-progress.js'
import { lateRows } from './late-rows.js'

/** How an erasure ended: the result of each collection, and the collections to read again before it can continue. */
export interface ErasureEnd {
  readonly results: readonly CollectionResult[]
  /** A message for people. Absent if the erasure is complete. */
  readonly failure?: string
  /** Why the same erasure may succeed later. */
  readonly mayPass?: MayPass | undefined
  /** What failed first. */
  readonly error?: PrivacyError | undefined
  /** Collections whose rows have changed since they were read. */
  readonly stale: readonly string[]
  /** The input for which the request waits, if nothing failed and people have to erase rows. */
  readonly needed?: InputNeeded
  /** A legal hold keeps it from going on. */
  readonly held?: true
}

/**
 * Writes the found rows, each collection after all collections that it leads to (see docs/semantics.md, 'Order of
 * writing'). When a collection fails, only those that lead to it are not written.
 */
export async function runErasure(
  context: ErasureContext,
  checked: ReadonlyMap<string, CheckedCollection>,
): Promise<ErasureEnd> {
  const { plan, progress, byAddress, clock } = context
  const collections = new Map(collectionsToErase(context).map((collection) => [collection.address, collection]))
  const ends = new Map<string, CollectionErasure>()
  const notReached = new Map<string, Missing>()
  const broken = new Map<number, Missing>()
  for (const [index, unit] of (plan.erasure ?? []).entries()) {
    const missing = unit.needs.flatMap((each) => broken.get(each) ?? [])
    let below = missing.find(({ waits }) => waits === undefined) ?? missing[0]
    for (const address of unit.members) {
      const collection = collections.get(address)
      if (!collection) continue
      if (below !== undefined) {
        notReached.set(address, below)
        // A collection that only waits is written later, and its log entry is written then.
        if (below.waits === undefined) progress.collection(collection, 'skipped', reasonOf(below), {}, 'erasure')
        continue
      }
      const from = clock().getTime()
      let begun = false
      const erase = collection.erasure.byHand ? eraseByHand : eraseCollection
      const beginning = () => {
        begun = true
        progress.collection(collection, 'in_processing', 'erasing', {}, 'erasure')
      }
      const about = { 'habeas.collection': address, 'habeas.action': 'erasure' }
      const end = await progress.span('habeas.collection', about, async (tell) => {
        const erased = await erase(context, collection, checked.get(address) as CheckedCollection, beginning)
        tell({ 'habeas.rows': writtenOf(erased.tally), ...(erased.failure && { 'error.type': erased.failure.code }) })
        return erased
      })
      ends.set(address, end)
      const durationMs = clock().getTime() - from
      if (end.failure) {
        below = { address }
        progress.collection(collection, 'error', end.failure.message, { durationMs }, 'erasure', end.failure)
      } else if (end.needed || end.held) {
        const { message, briefly } = end.held ? waitsForHold : waitsForPeople
        below = { address, waits: briefly }
        progress.collection(collection, 'paused', message, {}, 'erasure')
      } else if (begun) {
        // A collection that an earlier run finished has its log entry already.
        const rowCount = writtenOf(end.tally)
        progress.collection(collection, 'complete', tallyText(end.tally), { rowCount, durationMs }, 'erasure')
      }
    }
    if (below !== undefined) broken.set(index, below)
  }
  const finished = broken.size > 0 ? [] : [...ends.values()]
  for (const end of finished) {
    const collection = collections.get(end.address) as CollectionToErase
    if (collection.erasure.byHand) continue
    const more = await lateRows(context, collection, checked.get(end.address) as CheckedCollection, end)
    if (!more) continue
    ends.set(end.address, { ...end, ...more })
    progress.collection(collection, 'error', more.failure.message, {}, 'erasure', more.failure)
  }
  const results = [...collections.values()].map((collection): CollectionResult => {
    const { address, dataset, collection: name } = collection
    const { found = 0, due = 0, unheld = new Set<string>() } = checked.get(address) ?? {}
    const end = ends.get(address)
    const outcomes = outcomesOf(end, found, notReached.get(address))
    const left = outcomes.filter(({ outcome }) => leftOver.has(outcome))
    // Rows that an earlier attempt has written are not found again.
    const before = Math.max(due, writtenOf(outcomes))
    const after = Math.min(
      before,
      left.reduce((sum, { rowCount }) => sum + rowCount, 0),
    )
    const times = end && { startedAt: end.startedAt, finishedAt: end.finishedAt }
    const fields = fieldsOf(collection, outcomes, { now: context.now, unheld })
    const { elementsLeft = 0 } = context.outcomes.get(address)?.counts ?? {}
    return {
      dataset,
      collection: name,
      actionType: 'erasure',
      outcomes,
      fields,
      before,
      after,
      ...times,
      ...(elementsLeft > 0 && { elementsLeft }),
      ...(collection.erasure.writeLimits && { writeLimits: collection.erasure.writeLimits }),
      ...keptOf(outcomes, end?.finishedAt, collection.erasure),
    }
  })
  const unsearched = plan.unsearched.flatMap((each): CollectionResult[] => {
    if (!each.targeted) return []
    const outcome = { outcome: 'skipped' as const, rowCount: 0, reason: unsearchedReason(each) }
    return [{ ...placeOf(each.address), actionType: 'erasure', outcomes: [outcome] }]
  })
  const needed = [...ends.values()].flatMap((end) => end.needed ?? [])[0]
  const failed = [...ends.values()].filter(({ failure }) => failure !== undefined)
  const stale: string[] = []
  for (const { stale: isStale, address, alsoStale = [] } of failed) {
    const collection = collections.get(address) as CollectionToErase
    const others = [...(isStale ? readTogether(collection).slice(1) : []), ...alsoStale]
    const found = await collectionsToReread(context, collection, others)
    stale.push(...(isStale ? found : found.slice(1)))
  }
  return {
    results: [...results, ...unsearched],
    ...(failed.length > 0 && {
      failure: failureOf(failed, notReached.size, byAddress.size),
      mayPass: mayPassOf(failed),
      error: failed[0]?.failure,
    }),
    ...(needed && { needed }),
    ...([...ends.values()].some((end) => end.held) && { held: true as const }),
    stale,
  }
}

/** A collection that failed or waits, so that collections that lead to it are not written yet. */
interface Missing {
  readonly address: string
  readonly waits?: string
}

const waitsForPeople = { message: 'waits for rows that a person erases', briefly: 'waits for a person' }
const waitsForHold = { message: 'waits for a legal hold', briefly: 'waits for a legal hold' }
/** Outcomes of rows that still hold the data to erase. */
const leftOver: ReadonlySet<Outcome> = new Set(['failed', 'unsupported', 'skipped'])

function reasonOf({ address, waits }: Missing): string {
  return `not reached: '${address}' comes first and ${waits ?? 'was not erased'}`
}

/** The outcome of each field that the policy asks for. */
function fieldsOf(
  collection: CollectionToErase,
  outcomes: CollectionResult['outcomes'],
  { now, unheld }: Pick<ErasureContext, 'now'> & Pick<CheckedCollection, 'unheld'>,
): FieldResult[] {
  const { erasure } = collection
  const byWeight = ['failed', 'unsupported', 'skipped', 'erased', 'masked', 'unchanged', 'nothing_found'] as const
  const outcome = byWeight.find((each) => outcomes.some((one) => one.outcome === each)) ?? 'retained'
  const written = outcomes.filter((each) => each.outcome === 'masked' || each.outcome === 'erased')
  const inPart = written.flatMap(({ reason }) => whyOnlyInsideLists(reason) ?? [])
  return [
    ...erasure.masks.map((mask): FieldResult => {
      const { retain } = mask
      if (unheld.has(mask.field) && (outcome === 'masked' || outcome === 'erased'))
        return { field: mask.field, outcome: 'nothing_found' }
      // The same day holds for all rows, so the field was not written before that day.
      const isPerRow = typeof retain?.until === 'object'
      if (retain && !isPerRow && retainedBy(retain, () => undefined, now) && outcome !== 'erased')
        return { field: mask.field, outcome: 'retained', reason: retain.reason }
      const staysInPart = inPart.length > 0 && listDepth(collection, mask.path) === 0
      if (staysInPart && inPart.length === written.length && outcome === 'masked')
        return { field: mask.field, outcome: 'retained', reason: [...new Set(inPart)].join('; ') }
      const reasons = [
        staysInPart && inPart.includes(whyInPart.shared) && `stays in rows where ${whyInPart.shared}`,
        staysInPart && inPart.includes(whyInPart.others) && 'stays in rows of other people',
        staysInPart && inPart.includes(whyInPart.also) && 'stays in rows that belong to others as well',
        isPerRow ? `stays in rows where this still applies: ${retain?.reason}` : guessText(mask),
      ]
      const reason = reasons.filter(Boolean).join('; ')
      return { field: mask.field, strategy: mask.strategy.strategy, outcome, ...(reason && { reason }) }
    }),
    // A key is erased with its row.
    ...erasure.retained.map(({ field, reason }): FieldResult => {
      return outcome === 'erased' ? { field, outcome } : { field, outcome: 'retained', reason }
    }),
  ]
}

function outcomesOf(
  end: CollectionErasure | undefined,
  found: number,
  below: Missing | undefined,
): CollectionResult['outcomes'] {
  if (below)
    return [{ outcome: below.waits === undefined ? 'failed' : 'skipped', rowCount: found, reason: reasonOf(below) }]
  if (!end) return [{ outcome: 'failed', rowCount: found }]
  const counted = end.tally.reduce((sum, { rowCount }) => sum + rowCount, 0)
  const { failure, tally, needed, held } = end
  if (needed || held) {
    const reason = held ? waitsForHold.message : waitsForPeople.message
    return [...inOrder(tally), { outcome: 'skipped', rowCount: Math.max(0, found - counted), reason }]
  }
  if (failure) {
    const outcome = failure.code === 'unsupported' ? 'unsupported' : 'failed'
    return [...inOrder(tally), { outcome, rowCount: Math.max(0, found - counted), reason: failure.message }]
  }
  return tally.length > 0 ? inOrder(tally) : [{ outcome: 'nothing_found', rowCount: 0 }]
}

/** Sorts completed outcomes before open ones. */
function inOrder(tally: readonly ErasureTally[]): ErasureTally[] {
  return [...tally].sort((one, other) => allOutcomes.indexOf(one.outcome) - allOutcomes.indexOf(other.outcome))
}

/** A collection, and collections whose rows may block a deletion or a new key of its rows. They are read again together. */
export function readTogether(collection: CollectionToErase | undefined): string[] {
  if (!collection) return []
  const { address, erasure } = collection
  const referencing = [...(erasure.how === 'delete' ? erasure.pointedToBy : []), ...(erasure.cascadedBy ?? [])]
  return [address, ...referencing.flatMap((each) => each.address ?? [])]
}

function writtenOf(tally: CollectionResult['outcomes']): number {
  return tally.reduce(
    (sum, { outcome, rowCount }) => (outcome === 'masked' || outcome === 'erased' ? sum + rowCount : sum),
    0,
  )
}

function tallyText(tally: readonly ErasureTally[]): string {
  if (tally.length === 0) return 'nothing found'
  return tally
    .map(({ outcome, rowCount, reason }) => `${rowCount} ${outcome}${reason === undefined ? '' : ` (${reason})`}`)
    .join(', ')
}

/** Rows that changed meanwhile are read again by the next attempt. */
function mayPassOf(failed: readonly CollectionErasure[]): MayPass | undefined {
  const others = failed.filter(({ stale, failure }) => !stale || isTransient(failure))
  return others.length > 0 ? passingCause(others.map(({ failure }) => failure)) : 'changed'
}

function failureOf(failed: readonly CollectionErasure[], notReached: number, all: number): string {
  const [first] = failed as [CollectionErasure]
  const others = failed.length > 1 ? ` (and ${failed.length - 1} more)` : ''
  const above =
    notReached > 0 ? ` Not erased, because they lead there: ${notReached} of ${counted(all, 'collection')}.` : ''
  const { message } = PrivacyError.from(first.failure)
  return `Not everything was erased: '${first.address}'${others} – ${message}${above}`
}
