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
 * a telephone: an e-mail address, or what is unique. What is looked for must be neither. `feeds`: those of one property.
 */
export function rivalFields(
  { slots, judging }: PlannedCollection,
  feeds: readonly IdentityFeed[],
  identity: Identity,
): readonly JudgedIdentity[] {
  const names = new Set(feeds.map(({ slot }) => slots[slot]?.fields[0]?.name))
  const tells = ({ property, unique }: JudgedIdentity) => unique || property === 'email'
  if (judging.identities.some((each) => names.has(each.field.name) && tells(each))) return []
  return judging.identities.filter((each) => !Object.hasOwn(identity, each.property) && tells(each))
}

/** Whether rows that hold what is looked for are several people's, as far as one of the fields tells. */
export async function haveRivals(
  planned: PlannedCollection,
  feeds: readonly IdentityFeed[],
  fields: readonly JudgedIdentity[],
  { identities, open, signal }: { identities: readonly Identity[]; open: OpenConnection; signal: AbortSignal },
): Promise<boolean> {
  const anyOf = feeds.flatMap((feed) => {
    const slot = planned.slots[feed.slot] as PlannedCollection['slots'][number]
    const key = identityKeyOf(planned, feed, identities)
    if (key === undefined) return []
    const asked = keySet(slot.fields)
    asked.add(key)
    return [keyGroup(slot, asked, 0, 1)]
  })
  if (anyOf.length === 0) return false
  const columns = [...new Set(fields.map(({ field }) => field.path[0] as string))]
  const seen = { ...planned, columns }
  const held = fields.map(({ field }) => ({ keys: keySet([field]), read: keyReader(seen, [field]) }))
  using _place = await open.place(signal)
  for await (const rows of open.connection.read({ collection: planned.collection, columns, anyOf }, { signal })) {
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
