import type { ActionContext } from '../../actions/action-context.js'
import { heldBy, holdHashes } from '../../actions/proof/held-identity-rows.js'
import { waitForHolds } from '../../actions/proof/legal-hold-actions.js'
import { identityHashes } from '../../actions/requests/open-request.js'
import { serviceKeys } from '../../actions/service-keys.js'
import { PrivacyError } from '../../errors.js'
import type { CollectionResult, ResidualHit } from '../../model/collection-result.js'
import type { Identity } from '../../model/identity.js'
import type { Finding } from '../../rules/findings/finding.js'
import { rowsFound } from '../find/row-counts.js'
import type { InputNeeded } from '../manual/input-needed.js'
import { failed, type RunEnd } from '../run/run-end.js'
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
  /** ISO 8601, UTC: all that was found was read after that. */
  readonly foundSince: string
  /** The results of the whole request, given those of the erasure. */
  readonly together: (results: readonly CollectionResult[]) => readonly CollectionResult[]
  /** What to look for once everything is erased, where that was asked for. */
  readonly residual?: ResidualSearch | undefined
  /** Says that rows of a collection have to be read again. */
  readonly forget: (address: string) => Promise<void>
  /** Says so of all. */
  readonly forgetAll: () => Promise<void>
}

/** `needed`: a person has to erase rows before everything is done. `overtaken`: all has to be found once more. */
type ErasureResult =
  | {
      readonly results: readonly CollectionResult[]
      readonly needed?: InputNeeded
      readonly residualHits?: readonly ResidualHit[]
      /** Fields in which an identity of the request is left. */
      readonly identityRemains?: readonly string[]
      /** The person as own rows spell what the request names. */
      readonly spellings?: readonly Identity[]
    }
  | { readonly end: RunEnd }
  | { readonly overtaken: true }

/**
 * Erases what was found, once nothing stands against it: a legal hold, another erasure of the same person, a part that
 * cannot be done. Gives the results, with what a person has to erase first where nothing else is left to do, or how the
 * run ends when not everything is done.
 */
export async function eraseRequest(options: EraseRequestOptions): Promise<ErasureResult> {
  const { context, erasure, lock, together } = options
  const { lease } = erasure
  const hasBegun = lease.row.erasingSince !== undefined
  const { hash } = identityHashes(serviceKeys(context))
  const own = await ownIdentities(erasure)
  const values = await Promise.all(own.flatMap((identity) => Object.values(identity).map(hash)))
  const overlapping = [...(await overlappingRows(erasure, hash)), ...values]
  const overtaken = await lock.take(lease, overlapping, options.foundSince)
  if (overtaken && !hasBegun) {
    await options.forgetAll()
    return { overtaken }
  }
  const held = async (begun: boolean): Promise<RunEnd | undefined> => {
    const holds = erasure.stops() === 'cancel' ? [] : await heldBy(context, erasure.requestId)
    return holds.length > 0 ? waitForHolds(holds, context, { begun }) : undefined
  }
  if (own.length > 0) await lease.write(async () => {}, { ownIdentityHashes: await holdHashes(context, own) })
  // Asked with the lock in hand: somebody may have held the data while another erasure was waited for.
  const heldFirst = await held(hasBegun)
  if (heldFirst) {
    // A hold may last for years: what is found then is not what was found today.
    if (!hasBegun) await options.forgetAll()
    return { end: heldFirst }
  }
  const notes = sharedNotes(erasure)
  // Whoever pointed to a row before anything was written is whom it is shared with: afterwards nobody could tell.
  const checked = await checkErasure(erasure, hasBegun ? notes.read : undefined)
  const counts = [...checked.collections].map(([address, { found, due }]) => [address, { rows: found, due }] as const)
  await erasure.planned(Object.fromEntries(counts))
  const [first, ...others] = checked.impossible
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
    // Of two who share a row and are erased at the same time the later one takes it along.
    const meeting = await sharedWithFew(erasure, checked.few, hash)
    if (meeting.length > 0 && (await lock.take(lease, meeting, options.foundSince))) {
      await options.forgetAll()
      return { overtaken: true }
    }
    await notes.write(checked.shared)
    await lease.write(async () => {}, {
      erasingSince: erasure.clock().toISOString(),
      erasureNotes: erasure.notesIn,
    })
  }
  for (;;) {
    // Whoever holds the data sees from now on that it is being erased, and says so; holds made before are seen here.
    if (erasure.stops() === 'hold') await lease.write(async () => {}, { stopsForHold: false })
    const heldNow = await held(true)
    if (heldNow) return { end: heldNow }
    const end = await runErasure(erasure, checked.collections)
    const all = together(end.results)
    for (const address of end.stale) await options.forget(address)
    if (end.held) {
      const waiting = await held(true)
      if (waiting) return { end: { ...waiting, changes: { ...waiting.changes, results: all } } }
      // It was released before anybody waited for it.
      if (end.failure === undefined) continue
    }
    if (end.failure !== undefined) return { end: failed(stoppedOr(end.failure, erasure), { results: all }) }
    if (end.needed) return { results: all, needed: end.needed }
    const done = await searchedAgain(options, checked.collections, all)
    if ('end' in done) return done
    // Known before the locks are given back, at which others wait who share something.
    await noteLeftPointers(erasure, checked.shared)
    return {
      ...done,
      identityRemains: checked.identityRemains,
      spellings: spellingsOf(erasure.identities.identities, own),
    }
  }
}

function stoppedOr(failure: string, { stops }: ErasureContext): string {
  return stops() === 'cancel' ? `Stopped on request, erased in part. ${failure}` : failure
}

/** An identity that is found after all was erased, and not for a reason, was not erased. */
async function searchedAgain(
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
    const failure = `Everything was erased that was found, but what may be left could not be searched for: ${message} Retry searches again.`
    return { end: failed(failure, { results }) }
  }
}

/** Results of an erasure that has not begun: each collection says what stands against it, and the others whose that is. */
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

/** Each identity with what rows hold in its place that differs in case and outer blanks alone. */
function spellingsOf(identities: readonly Identity[], own: readonly Identity[]): Identity[] {
  const plain = (value: Identity[string] | undefined) => String(value).trim().toLowerCase()
  return identities.flatMap((identity) =>
    own.flatMap((held): Identity[] => {
      const [property = '', value = ''] = Object.entries(held)[0] ?? []
      const isOther = Object.hasOwn(identity, property) && identity[property] !== value
      return isOther && plain(identity[property]) === plain(value) ? [{ ...identity, [property]: value }] : []
    }),
  )
}
