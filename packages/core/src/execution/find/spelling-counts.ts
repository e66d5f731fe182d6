import type { CountRows, KeyGroup } from '../../ports/connector.js'
import { heldInAnotherSpelling } from '../../rules/erase/member-at.js'
import type { PlannedCollection, PlannedOpen } from '../../rules/plan/plan.js'
import { spelledColumns, spelledFields } from '../../rules/plan/spelled-edge.js'
import { keyGroup } from './entry-state.js'
import type { AskedKeys } from './run-component.js'

/** Rows that are to be counted, and what leaves them undecided. */
export interface CountedThere {
  readonly open: Pick<PlannedOpen, 'address' | 'name' | 'why'>
  readonly connectionKey: string
  readonly read: CountRows
}

/** Returns the groups by which rows of a collection were found. */
export type FoundGroups = (address: string) => readonly KeyGroup[]

/**
 * The counts of rows that refer to rows of the subject in another spelling, which the server holds equal. An application joins
 * them, but only a foreign key says that they belong together.
 */
export function spellingCounts(
  byAddress: ReadonlyMap<string, PlannedCollection>,
  asked: readonly AskedKeys[],
  found: FoundGroups,
): CountedThere[] {
  return asked.flatMap(({ address, entry, keys }): CountedThere[] => {
    const planned = byAddress.get(address)
    const { fields = [], when, comparesLoosely, compared } = planned?.entries[entry] ?? {}
    const some = keys.filter(({ size }) => size > 0)
    if (!planned || !when || !comparesLoosely || compared || some.length === 0) return []
    const { collection, connectionKey } = planned
    const columns = fields.map(({ path }) => path[0] as string)
    const spelled = spelledFields(fields, spelledColumns(columns, { collection, columns }).to)
    return [
      {
        connectionKey,
        open: { address, name: `${address}.${fields.map(({ name }) => name).join(',')}`, why: heldInAnotherSpelling },
        read: {
          collection,
          anyOf: some.map((each) => keyGroup({ fields: spelled, when, indexed: true }, each, 0, each.size)),
          noneOf: found(address),
        },
      },
    ]
  })
}
