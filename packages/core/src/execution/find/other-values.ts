import type { Row } from '../../ports/connector.js'
import { isPlainList } from '../../rules/draft/person-names.js'
import type { ElementPath } from '../../rules/erase/filter-elements.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { holdsAt, listOf } from '../../rules/plan/shared-in-part.js'
import type { Judgement } from './row-judge.js'
import type { UndecidedPart } from './undecided-parts.js'

const none: readonly UndecidedPart[] = []

/**
 * The identity fields in which a row of the person holds another value of the same property, of which nobody has said
 * whose it is. In a list that value was left out. A list of objects holds other people unless it is named like one's own
 * addresses.
 */
export function otherValues(
  { address, columns, judging }: PlannedCollection,
  row: Row,
  leftOut: readonly ElementPath[],
  { whose, reason, by, isInside }: Judgement,
): readonly UndecidedPart[] {
  const differs = whose === 'shared' && by !== ''
  if (isInside || (leftOut.length === 0 && !differs)) return none
  const lists = judging.identities.flatMap(({ field, inside, reviewed }): UndecidedPart[] => {
    const isHere = (place: ElementPath) => {
      const list = listOf(place)
      return (list.length === field.path.length || isPlainList(list)) && holdsAt(field, { columns, row, place })
    }
    return !inside && !reviewed && leftOut.some(isHere) ? [{ name: `${address}.${field.name}`, why: inList }] : []
  })
  return differs && !lists.some(({ name }) => name === by) ? [...lists, { name: by, why: reason ?? '' }] : lists
}

/** Why other values of a list are left out. */
const inList =
  "its list holds other values, the person's or somebody else's: name them in the request where they are theirs, or say on the identity 'reviewed: true' where the list also names others and 'return_all_elements' where it is one person's"

/** Whether it is of a list, so that something was left out. */
export const isOfList = ({ reason }: { readonly reason: string }): boolean => reason === inList
