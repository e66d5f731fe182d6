import type { IdentityEntries } from './identity-entries.js'
import { reached, type Traversal } from './traversal.js'

/** The collections whose rows may belong to other people as well. */
export interface PossiblyShared {
  /** Collections whose rows belong to the person because the person's rows refer to them, and all followed from these. */
  readonly pointedTo: ReadonlySet<string>
  /**
   * Collections of which an erasure has to know whose rows are shared, even if it writes nothing there: those that lead on, and
   * those that hang on others. The value says whether rows that refer to them are counted. A row to which only owners lead is
   * shared as these are.
   */
  readonly withoutErasure: ReadonlyMap<string, boolean>
}

export function possiblyShared(traversal: Traversal, identities: IdentityEntries): PossiblyShared {
  const { directedEdges } = traversal
  const parts = directedEdges.flatMap(({ kind, to }) => (kind === 'part' ? [to] : []))
  const pointedTo = reached(directedEdges, parts)
  const byOthers = new Set(directedEdges.flatMap(({ kind, to }) => (kind === 'owned' ? [] : [to])))
  const leading = new Set(directedEdges.flatMap(({ kind, from }) => (kind === 'part' ? [] : [from])))
  const withoutErasure = new Map<string, boolean>()
  for (const address of [...pointedTo, ...sharedBetween(traversal, identities)]) {
    const hangs = !byOthers.has(address)
    if (hangs || leading.has(address)) withoutErasure.set(address, !hangs && pointedTo.has(address))
  }
  return { pointedTo, withoutErasure }
}

/** Collections whose rows may themselves name several people, and all collections followed from these. */
function sharedBetween({ directedEdges, order }: Traversal, { fields }: IdentityEntries): Set<string> {
  const said = new Map<string, number>()
  const say = (address: string) => said.set(address, (said.get(address) ?? 0) + 1)
  for (const { kind, to } of directedEdges) if (kind === 'owned') say(to)
  for (const address of order)
    for (const names of fields.get(address)?.values() ?? []) for (const _ of names) say(address)
  return reached(
    directedEdges,
    [...said].flatMap(([address, times]) => (times > 1 ? [address] : [])),
  )
}
