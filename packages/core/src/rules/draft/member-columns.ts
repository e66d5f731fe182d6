import type { CatalogueCollection, Column } from '../../model/catalogue.js'

/** A dataset cannot describe a column without a name, which some documents have. */
export const isNamed = ({ name }: Column): boolean => name !== ''

/** A collection in which the members of objects stand as columns with dotted names, in place of the objects. */
export function withMemberColumns(collection: CatalogueCollection): CatalogueCollection {
  return { ...collection, columns: collection.columns.filter(isNamed).flatMap((column) => leaves(column, [])) }
}

/** How many objects a drafted field lies in at most. What lies deeper is described as a whole: a dataset has no room for it. */
const mostAround = 24

/**
 * The known members that a draft describes, of a column that lies in `around` objects. A dotted name of a member would
 * read as a path.
 */
export function membersOf(column: Column, around = 0): readonly Column[] {
  return namedMembers(column, around).filter(({ name }) => !name.includes('.'))
}

/** The same, and those with a dot in their names. */
export function namedMembers({ members = [] }: Column, around = 0): readonly Column[] {
  return around >= mostAround ? [] : members.filter(isNamed)
}

function leaves(column: Column, above: readonly Column[]): Column[] {
  const members = membersOf(column, above.length)
  const path = [...above, column]
  if (members.length > 0) return members.flatMap((member) => leaves(member, path))
  if (above.length === 0) return [column]
  const { members: _, ...own } = column
  const name = path.map((each) => each.name).join('.')
  return [{ ...own, name, nullable: true, ...(path.some(({ array }) => array) && { array: true }) }]
}
