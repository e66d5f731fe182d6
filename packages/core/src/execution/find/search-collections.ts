import { placeOf } from '../../model/address.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { unsearchedReason } from '../../rules/plan/plan-wording.js'
import type { PlannedRun } from '../run/plan-run.js'
import { report } from '../run/results-of.js'
import type { RequestRun } from '../run/run-options.js'
import type { checkpoints } from './checkpoints.js'
import type { Confirmation } from './confirm-identities.js'
import { rowsFound } from './row-counts.js'
import { type AccessEnd, type AccessRunOptions, type ComponentEnd, runAccess } from './run-access.js'

export interface CollectionSearch
  extends Pick<PlannedRun, 'plan' | 'identities' | 'again'>,
    Pick<AccessRunOptions, 'restored'>,
    Pick<AccessRunOptions['context'], 'byAddress' | 'room' | 'connection'> {
  readonly confirmation: Confirmation
  readonly saved: ReturnType<typeof checkpoints>
  readonly spoolKey: (name: string) => string
}

export interface SearchEnd extends Pick<AccessEnd, 'open' | 'asked' | 'learned'> {
  /** How each component of the plan ended, in their order. */
  readonly ends: readonly ComponentEnd[]
  /** Messages of collections that were not searched completely, by address. */
  readonly notes: ReadonlyMap<string, string>
}

/** Searches the collections that no earlier attempt has finished. Saves checkpoints and reports progress. */
export async function searchCollections(
  { lease, options, progress, read }: RequestRun,
  { plan, byAddress, identities, confirmation, restored, saved, room, spoolKey, connection, again }: CollectionSearch,
): Promise<SearchEnd> {
  const { runtime } = options.context
  const planned = (address: string) => byAddress.get(address) as PlannedCollection
  const notes = new Map<string, string>()
  for (const each of plan.unsearched)
    if (each.targeted) progress.collection(placeOf(each.address), 'skipped', unsearchedReason(each))
  const { components, ...keys } = await runAccess({
    plan,
    restored,
    now: () => runtime.now(),
    context: {
      plan,
      byAddress,
      identities,
      room,
      connection,
      signal: lease.signal,
      maxRounds: options.maxRounds,
      confirmed: confirmation.confirmed,
      findsAlone: confirmation.findsAlone,
      spoolKey: (address, name) => spoolKey(`${address}/${name}`),
      newId: () => runtime.newId(),
      note(address, message) {
        notes.set(address, message)
        progress.collection(planned(address), 'in_processing', message)
      },
      progress: (address, rows) => progress.rows(planned(address), rows),
      read,
    },
    started({ members }) {
      const [status, message] = again ? (['retrying', 'retrying'] as const) : (['in_processing', 'starting'] as const)
      for (const member of members) progress.collection(planned(member), status, message)
    },
    within: ({ members }, run) =>
      progress.span(
        'habeas.collection',
        { 'habeas.collection': members.join(' '), 'habeas.action': 'access' },
        async (tell) => {
          const outcome = await run()
          tell({ 'habeas.rows': outcome.collections.reduce((sum, { counts }) => sum + rowsFound(counts), 0) })
          return outcome
        },
      ),
    ended({ members }, index, end) {
      // A run that was told to stop has failed at nothing: it goes on with these, or was canceled.
      if (end.state === 'error' && lease.signal.aborted) return
      report(progress, members.map(planned), end)
      if (end.state === 'complete' && !end.restored) saved.done(index, end.outcome)
    },
  })
  return { ...keys, ends: components, notes }
}
