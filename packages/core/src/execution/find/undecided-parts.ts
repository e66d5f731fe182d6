import type { Row } from '../../ports/connector.js'
import { heldAt, holdsPlain } from '../../rules/erase/member-at.js'
import { mixedReason } from '../../rules/plan/mixed-members.js'
import { isWithin } from '../../rules/plan/part-doubts.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import { holdsAny } from '../../rules/plan/shared-in-part.js'
import type { UnknownElements } from './element-judge.js'

/** A member because of which something in a row of the person is left alone. */
export interface UndecidedPart {
  /** `dataset:collection.field`. */
  readonly name: string
  readonly why: string
}

/** Paths of members that are left out, and with them a plain value in their place. */
export function leftMembers({ doubts = [], mixed = [] }: Pick<PlannedCollection, 'doubts' | 'mixed'>) {
  return [...doubts.flatMap(({ left }) => left), ...mixed.map(({ path }) => path)]
}

const none: readonly UndecidedPart[] = []

/** Doubts of the plan, and elements of which the row does not tell whose they are. */
export function undecidedParts(
  collection: PlannedCollection,
  row: Row,
  unknown: readonly UnknownElements[] = [],
): readonly UndecidedPart[] {
  const { address, columns, doubts, mixed, deliver, erasure, ownedLists = [] } = collection
  // the usual row: nothing is worked out for it
  if (!doubts && !mixed && unknown.length === 0) return none
  const found: UndecidedPart[] = (doubts ?? []).filter(({ left }) =>
    left.some(([column, ...rest]) => holdsAny(heldAt(row[columns.indexOf(column as string)], rest), [], [])),
  )
  for (const each of mixed ?? []) {
    const [column, ...rest] = each.path
    if (holdsPlain(row[columns.indexOf(column as string)], rest))
      found.push({ name: each.name, why: mixedReason(each) })
  }
  const asked = [...deliver.flatMap(({ paths }) => paths), ...(erasure?.targeted ?? [])]
  for (const { field, why, leads = false } of unknown) {
    const isAsked = leads || asked.some((path) => isWithin(path, elementAround(field.path, ownedLists)))
    if (isAsked) found.push({ name: `${address}.${field.name}`, why })
  }
  return found
}

/** The path of the innermost list whose elements the field may speak of, or else of what holds it. */
function elementAround(path: readonly string[], lists: readonly (readonly string[])[]): readonly string[] {
  const around = lists.filter((list) => list.length < path.length && isWithin(path, list))
  return around.sort((one, other) => other.length - one.length)[0] ?? path.slice(0, -1)
}
