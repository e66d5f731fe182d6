import type { Row } from '../../ports/connector.js'
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

const none: readonly UndecidedPart[] = []

/** Doubts of the plan, and elements of which the row does not tell whose they are. */
export function undecidedParts(
  collection: PlannedCollection,
  row: Row,
  unknown: readonly UnknownElements[] = [],
): readonly UndecidedPart[] {
  const { address, columns, doubts, deliver, erasure } = collection
  // the usual row: nothing is worked out for it
  if (!doubts && unknown.length === 0) return none
  const found: UndecidedPart[] = (doubts ?? []).filter(({ left }) =>
    left.some(([column, ...rest]) => holdsAny(row[columns.indexOf(column as string)], rest, [])),
  )
  const asked = [...deliver.flatMap(({ paths }) => paths), ...(erasure?.targeted ?? [])]
  for (const { field, why } of unknown) {
    const isAsked = asked.some((path) => isWithin(path, field.path.slice(0, -1)))
    if (isAsked) found.push({ name: `${address}.${field.name}`, why })
  }
  return found
}
