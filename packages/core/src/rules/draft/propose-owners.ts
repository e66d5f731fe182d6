import type { IdentityProposal, OwnerProposal } from '../../model/proposal.js'
import type { DraftedSchema, DraftedTable } from './drafted-schema.js'
import { isAgentColumn } from './ownership-names.js'
import { tellsOfPeople } from './people-data.js'

/** Tables whose rows belong to nobody, and tables in which one field decides before another who owns a row. */
export function proposeOwners(schema: DraftedSchema, identities: readonly IdentityProposal[]): OwnerProposal[] {
  const pointedTo = new Set([...schema.tables.values()].flatMap(({ links }) => links.map(({ target }) => target)))
  return [...schema.tables.values()].flatMap((table) => {
    const collection = table.live.name
    const id = `${collection}:owner`
    if (table.shared) {
      // A table without references in either direction needs no answer.
      if (table.links.length === 0 && !pointedTo.has(collection)) return []
      const told = [...table.categories].find(([name, category]) => tellsOfPeople(collection, name, category))
      const confidence = told || table.people || table.doubtful ? 0.6 : 0.95
      const doubt = table.doubtful
        ? ' But each row names a person and may belong to them.'
        : told
          ? ` But '${told[0]}' looks like data of people.`
          : ''
      const reason = `'${collection}' is named like something that belongs to many, so its rows belong to nobody.${doubt}`
      return [{ id, kind: 'owner', collection, owner: [], confidence, reason }]
    }
    const owner = guestOwner(table, identities)
    if (!owner) return []
    const reason = `'${owner[0]}' names the person where it holds a value, and '${owner[1]}' does where somebody acted as a guest.`
    return [{ id, kind: 'owner', collection, owner, confidence: 0.6, reason }]
  })
}

/** The owner of an order that has the key of its customer, or an e-mail address where a guest placed it. */
function guestOwner({ live, people, links }: DraftedTable, identities: readonly IdentityProposal[]) {
  const persons = links.filter(({ role, columns }) => role === 'person' && !columns.some(isAgentColumn))
  const [only] = persons
  const email = identities.find(({ collection, identity }) => collection === live.name && identity === 'email')
  if (people || !only || persons.length > 1 || !only.nullable || only.confidence < 1 || !email) return undefined
  return [only.columns[0]!, email.field]
}
