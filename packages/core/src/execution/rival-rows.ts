import type { Identity } from '../model/identity.js'
import type { IdentityFeed, PlannedCollection } from '../rules/plan.js'
import type { JudgedIdentity } from '../rules/planned-judging.js'
import { identityKeyOf } from './identity-match.js'
import { keySet } from './key-set.js'
import type { OpenConnection } from './open-connections.js'
import { elementsOf, keyReader } from './row-reader.js'
import { keyGroup } from './slot-state.js'

/**
 * Fields that tell apart people who hold the same value of what is looked for, such as the e-mail addresses of two who share
 * a telephone: an e-mail address, or what is unique. What is looked for must be neither.
 */
export function rivalFields(
  { slots, judging }: PlannedCollection,
  { slot, property }: IdentityFeed,
  identity: Identity,
): readonly JudgedIdentity[] {
  const name = slots[slot]?.fields[0]?.name
  const tells = ({ property, unique }: JudgedIdentity) => unique || property === 'email'
  if (judging.identities.some((each) => each.field.name === name && tells(each)) || property === 'email') return []
  return judging.identities.filter((each) => !Object.hasOwn(identity, each.property) && tells(each))
}

/** Whether rows that hold what is looked for are several people's, as far as one of the fields tells. */
export async function haveRivals(
  planned: PlannedCollection,
  feed: IdentityFeed,
  fields: readonly JudgedIdentity[],
  { identities, open, signal }: { identities: readonly Identity[]; open: OpenConnection; signal: AbortSignal },
): Promise<boolean> {
  const slot = planned.slots[feed.slot] as PlannedCollection['slots'][number]
  const asked = keySet(slot.fields)
  const key = identityKeyOf(planned, feed, identities)
  if (key === undefined) return false
  asked.add(key)
  const columns = [...new Set(fields.map(({ field }) => field.path[0] as string))]
  const seen = { ...planned, columns }
  const held = fields.map(({ field }) => ({ keys: keySet([field]), read: keyReader(seen, [field]) }))
  using _place = await open.place(signal)
  const what = { collection: planned.collection, columns, anyOf: [keyGroup(slot, asked, 0, 1)] }
  for await (const rows of open.connection.read(what, { signal })) {
    for (const row of rows) {
      for (const { keys, read } of held) {
        const before = keys.size
        let isKnown = before === 0
        let holds = false
        read(row, elementsOf(seen, row), (value) => {
          holds = true
          if (keys.find(value) !== -1) isKnown = true
          keys.add(value)
        })
        if (holds && !isKnown) return true
      }
    }
  }
  return false
}
