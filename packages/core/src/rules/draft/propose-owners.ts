import type { IdentityProposal, OwnerProposal } from '../../model/proposal.js'
import type { DraftedSchema, DraftedTable } from './drafted-schema.js'
import { isAgentColumn } from './ownership-names.js'

/** Tables that are nobody's, and rows whose owner is told by one field before another. */
export function proposeOwners(schema: DraftedSchema, identities: readonly IdentityProposal[]): OwnerProposal[] {
  const pointedTo = new Set([...schema.tables.values()].flatMap(({ links }) => links.map(({ target }) => target)))
  return [...schema.tables.values()].flatMap((table) => {
    const collection = table.live.name
    const id = `${collection}:owner`
    if (table.shared) {
      // Without a reference either way there is nothing to ask.
      if (table.links.length === 0 && !pointedTo.has(collection)) return []
      const confidence = table.people || table.doubtful ? 0.6 : 0.95
      const doubt = table.doubtful ? ' But each names a person, whose it may be.' : ''
      const reason = `'${collection}' is named like what belongs to many, so that its rows are nobody's.${doubt}`
      return [{ id, kind: 'owner', collection, owner: [], confidence, reason }]
    }
    const owner = guestOwner(table, identities)
    if (!owner) return []
    const reason = `'${owner[0]}' names the person where it holds a value, '${owner[1]}' where somebody acted as a guest.`
    return [{ id, kind: 'owner', collection, owner, confidence: 0.6, reason }]
  })
}

/** An order with the key of its customer, or with an e-mail address where a guest made it. */
function guestOwner({ live, people, links }: DraftedTable, identities: readonly IdentityProposal[]) {
  const persons = links.filter(({ role, columns }) => role === 'person' && !columns.some(isAgentColumn))
  const [only] = persons
  const email = identities.find(({ collection, identity }) => collection === live.name && identity === 'email')
  if (people || !only || persons.length > 1 || !only.nullable || only.confidence < 1 || !email) return undefined
  return [only.columns[0]!, email.field]
}
