import { isGuess } from '../draft/drafted-schema.js'
import { withMemberColumns } from '../draft/member-columns.js'
import { categoryOf } from '../draft/propose-categories.js'
import { namedTables, proposedLinks } from '../draft/propose-references.js'
import { seenCollection } from './seen-collection.js'
import { type Database, showsKnownTables, type UncoveredTable } from './uncovered-table.js'

/**
 * Tables that no dataset describes and that have a column or member named like the key of rows with an owner, or named like
 * an e-mail address or holding such addresses. Views of known tables are left out, since their rows are found there.
 */
export function tablesNamingPeople(database: Database, isOwned: (address: string) => boolean): UncoveredTable[] {
  const { dataset, tables, described } = database
  const owned = [...described.values()].filter(({ address, live }) => live && isOwned(address))
  if (tables.length === 0) return []
  const asking = owned[0]?.dataset.service_key ?? dataset
  const named = namedTables(owned.flatMap((node) => seenCollection(node) ?? []))
  return tables.flatMap((live): UncoveredTable[] => {
    if (showsKnownTables(database, live)) return []
    const table = withMemberColumns(live)
    const link = proposedLinks(table, named, asking).find((each) => !isGuess(each))
    const target = link && described.get(link.target)
    if (target)
      return [
        {
          dataset: target.dataset.service_key,
          table: live.name,
          column: link.columns[0] as string,
          into: target.address,
        },
      ]
    const mail = table.columns.find(
      (column) => column.holds === 'email' || categoryOf(live.name, column) === 'user.contact.email',
    )
    return mail ? [{ dataset: asking, table: live.name, column: mail.name }] : []
  })
}
