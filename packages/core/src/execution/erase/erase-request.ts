import type { ActionContext } from '../../actions/action-context.js'
import { holdHashes, holdsOn } from '../../actions/proof/held-identity-rows.js'
import { waitForHolds } from '../../actions/proof/legal-hold-actions.js'
import { identityHashes } from '../../actions/requests/identity-hashes.js'
import { keysOf } from '../../actions/service-keys.js'
import { PrivacyError } from '../../errors.js'
import type { CollectionResult, ResidualHit } from '../../model/collection-result.js'
import { plainAddress } from '../../model/compared-text.js'
import type { Identity } from '../../model/identity.js'
import type { Finding } from '../../rules/findings/finding.js'
import { rowsFound } from '../find/row-counts.js'
import type { InputNeeded } from '../manual/input-needed.js'
import { causeOf, failed, type RunEnd } from '../run/run-end.js'
import { checkErasure } from './check-erasure.js'
import type { CheckedCollection } from './checked-collection.js'
import { noteLeftPointers } from './erased-pointers.js'
import { collectionsToErase, type ErasureContext } from './erasure-context.js'
import { overlappingRows, ownIdentities, sharedWithFew } from './overlapping-rows.js'
import { type ResidualSearch, residualFailure, residualSearch } from './residual-search.js'
import { readTogether, runErasure } from './run-erasure.js'
import { sharedNotes } from './shared-notes.js'
import type { subjectLock } from './subject-lock.js'

export interface EraseRequestOptions {
  readonly context: ActionContext
  readonly erasure: ErasureContext
  readonly lock: ReturnType<typeof subjectLock>
  /** ISO 8601, UTC. All found rows were read after this instant. */
  readonly foundSince: string
  /** The results of the whole request, given those of the erasure. */
  readonly together: (results: readonly CollectionResult[]) => readonly CollectionResult[]
  /** The last search after the erasure, if the host asked for it. */
  readonly residual?: ResidualSearch | undefined
  /** Drops the found rows of a collection, so that they are read again. */
  readonly forget: (address: string) => Promise<void>
  /** Drops all found rows. */
  readonly forgetAll: () => Promise<void>
}

/** What an erasure did. */
export interface RequestErasure {
  readonly results: readonly CollectionResult[]
  /** People have to erase rows before the erasure is complete. */
  readonly needed?: InputNeeded
  readonly residualHits?: readonly ResidualHit[]
  /** Fields that still hold an identity of the request. */
  readonly identityRemains?: readonly string[]
  /** The identities of the request as own rows spell them. */
  readonly spellings?: readonly Identity[]
}

/** `overtaken`: all rows have to be found again. */
type ErasureResult = RequestErasure | { readonly end: RunEnd } | { readonly overtaken: true }

/**
 * Erases the found rows if nothing prevents it: no legal hold, no other erasure of the same person, and no part that is
 * impossible. Resolves to the results, with the rows that people have to erase if only these are left, or to the end of
 * the run if the erasure is not complete.
 */
export async function eraseRequest(options: EraseRequestOptions): Promise<ErasureResult> {
  const { context, erasure, lock, together } = options
  const { lease } = erasure
  const hasBegun = lease.row.erasingSince !== undefined
  const { hash } = identityHashes(keysOf(context))
  const own = await ownIdentities(erasure)
  const values = await Promise.all(own.flatMap((identity) => Object.values(identity).map(hash)))
  const overlapping = [...(await overlappingRows(erasure, hash)), ...values]
  const known = own.length > 0 && { ownIdentityHashes: await holdHashes(context, own) }
  const overtaken = await lock.take(lease, overlapping, options.foundSince, { ...known })
  if (overtaken && !hasBegun) {
    await options.forgetAll()
    return { overtaken }
  }
  const hashes = await holdHashes(context, erasure.identities.identities)
  const held = async (begun: boolean): Promise<RunEnd | undefined> => {
    if (erasure.stops() === 'cancel') return undefined
    const holds = await holdsOn(context, [...hashes, ...(lease.row.ownIdentityHashes ?? [])])
    return holds.length > 0 ? waitForHolds(holds, context, { begun }) : undefined
  }
  // This check comes after the lock: a legal hold may have been made while the run waited for another erasure.
  const heldFirst = await held(hasBegun)
  if (heldFirst) {
    if (hasBegun) return heldAsItStands(options, heldFirst)
    // A hold may last for years, so the rows are found again after it.
    await options.forgetAll()
    return { end: heldFirst }
  }
  const notes = sharedNotes(erasure)
  // The rows that referred to a row before the first write decide whether it is shared. Later this is no longer known.
  const checked = await checkErasure(erasure, hasBegun ? notes.read : undefined)
  const counts = [...checked.collections].map(([address, { found, due }]) => [address, { rows: found, due }] as const)
  const [first, ...others] = checked.impossible
  const planned = erasure.planned(Object.fromEntries(counts))
  if (first || hasBegun) await lease.store(planned)
  if (first && !hasBegun) {
    for (const address of checked.stale.flatMap(readTogether)) await options.forget(address)
    const more = others.length > 0 ? ` And: ${others.map(({ message }) => message).join(' ')}` : ''
    return {
      end: failed(`Nothing was erased: ${first.message}${more}`, {
        results: together(notErased(erasure, first, others)),
      }),
    }
  }
  if (!hasBegun) {
    // When two people who share a row are erased at the same time, the later erasure erases the row as well.
    const meeting = await sharedWithFew(erasure, checked.few, hash)
    if (meeting.length > 0 && (await lock.take(lease, meeting, options.foundSince))) {
      await options.forgetAll()
      return { overtaken: true }
    }
    await notes.write(checked.shared)
    await lease.store(planned, {
      erasingSince: erasure.clock().toISOString(),
      erasureNotes: erasure.notesIn,
    })
  }
  for (;;) {
    // A hold made from now on notifies this run. A hold made before is found here.
    if (erasure.stops() === 'hold') await lease.store([], { stopsForHold: false })
    const heldNow = await held(true)
    if (heldNow) return heldAsItStands(options, heldNow)
    const end = await runErasure(erasure, checked.collections)
    const all = together(end.results)
    for (const address of end.stale) await options.forget(address)
    if (end.held) {
      const waiting = await held(true)
      if (waiting) return { end: { ...waiting, changes: { ...waiting.changes, results: all } } }
      // The hold was released before the run could wait for it.
      if (end.failure === undefined) continue
    }
    if (end.failure !== undefined) return { end: failed(stoppedOr(end.failure, erasure), { results: all }, end) }
    if (end.needed) return { results: all, needed: end.needed }
    const done = await withResidualSearch(options, checked.collections, all)
    if ('end' in done) return done
    // Noted before the locks are released, because erasures of people who share rows wait for these locks.
    await noteLeftPointers(erasure, checked.shared)
    return {
      ...done,
      identityRemains: checked.identityRemains,
      spellings: spellingsOf(erasure.identities.identities, own),
    }
  }
}

/** The pause for a legal hold, with what earlier runs have done and what is left. No database is asked. */
async function heldAsItStands({ erasure, together }: EraseRequestOptions, end: RunEnd): Promise<{ end: RunEnd }> {
  const none = { shared: new Map(), pointers: new Map(), due: 0, unheld: new Set<string>() }
  const unchecked = collectionsToErase(erasure).map(({ address }): [string, CheckedCollection] => {
    return [address, { ...none, found: rowsFound(erasure.outcomes.get(address)?.counts) }]
  })
  const { results } = await runErasure({ ...erasure, stops: () => 'hold' }, new Map(unchecked))
  return { end: { ...end, changes: { ...end.changes, results: together(results) } } }
}

function stoppedOr(failure: string, { stops }: ErasureContext): string {
  return stops() === 'cancel' ? `Stopped on request, erased in part. ${failure}` : failure
}

/** Searches for remaining identities. The erasure fails if it finds one that has no reason to stay. */
async function withResidualSearch(
  { erasure, residual }: EraseRequestOptions,
  checked: ReadonlyMap<string, CheckedCollection>,
  results: readonly CollectionResult[],
): Promise<Exclude<ErasureResult, { overtaken: true }>> {
  if (!residual) return { results }
  try {
    const residualHits = await residualSearch(erasure, checked, residual)
    const failure = residualFailure(residualHits)
    return failure === undefined ? { results, residualHits } : { end: failed(failure, { results, residualHits }) }
  } catch (error) {
    erasure.lease.lost.throwIfAborted()
    const { message } = PrivacyError.from(error)
    const failure = `All found rows were erased, but the last search for remaining identities failed: ${message} Retry to search again.`
    return { end: failed(failure, { results }, causeOf([error])) }
  }
}

/** Results of an erasure that has not begun. Each collection names its own obstacle, or the collection that has one. */
function notErased(erasure: ErasureContext, first: Finding, others: readonly Finding[]): CollectionResult[] {
  const whyOf = (dataset: string, collection: string) => {
    const own = [first, ...others].filter(({ loc }) => loc[0] === dataset && loc[1] === collection)
    if (own.length === 0) return `because of '${first.loc[0]}:${first.loc[1]}'`
    return own.map(({ message }) => message).join(' ')
  }
  return collectionsToErase(erasure).map(({ dataset, collection, address }) => ({
    dataset,
    collection,
    actionType: 'erasure',
    outcomes: [
      {
        outcome: 'failed',
        rowCount: rowsFound(erasure.outcomes.get(address)?.counts),
        reason: `not begun: ${whyOf(dataset, collection)}`,
      },
    ],
  }))
}

/** The identities in the spellings of rows that differ from the request only in case and outer blanks. */
function spellingsOf(identities: readonly Identity[], own: readonly Identity[]): Identity[] {
  const plain = (value: Identity[string] | undefined) => plainAddress(String(value))
  return identities.flatMap((identity) =>
    own.flatMap((held): Identity[] => {
      const [property = '', value = ''] = Object.entries(held)[0] ?? []
      const isOther = Object.hasOwn(identity, property) && identity[property] !== value
      return isOther && plain(identity[property]) === plain(value) ? [{ ...identity, [property]: value }] : []
    }),
  )
}
