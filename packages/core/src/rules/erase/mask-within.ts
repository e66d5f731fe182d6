import { isStructured, type Members, memberOf, type Value } from '../../model/value.js'
import type { PlannedMask } from '../plan/plan.js'
import type { ElementPath } from './filter-elements.js'
import type { Masker } from './masker.js'

/** A value that is not text, met by a text strategy in a column of unknown type. */
export interface NotText {
  readonly field: string
  readonly strategy: string
}

interface Masking {
  readonly mask: PlannedMask
  readonly masker: Masker
  readonly place: string
  /** The places that are left out, as text. */
  readonly leftOut: ReadonlySet<string>
  readonly notText: ((found: NotText) => void) | undefined
  /** If present, only values inside lists down to this depth are masked. */
  readonly lists: number | undefined
  /** The depths at which there are lists. Anything else there is the only element. */
  readonly listed: ReadonlySet<number>
  /** Whether a plain value stays that stands where members are described. Its place: the segments of the path before it. */
  staysPlain(place: readonly string[]): boolean
}

/**
 * Returns a copy in which the value at the path is masked. Lists are masked element by element, except the elements
 * that are left out. A plain value that stands where members are described is masked as a whole.
 */
export function maskWithin(
  value: Value,
  masking: Masking,
  depth: number,
  at: ElementPath,
  isInsideAbove = masking.lists === undefined,
): Value {
  const { mask, masker, place, leftOut, notText, lists = 0, listed } = masking
  const isInside = isInsideAbove || (depth <= lists && listed.has(depth))
  if (value === null) return null
  const isLeftOut = (path: ElementPath) => leftOut.size > 0 && leftOut.has(JSON.stringify(path))
  if (Array.isArray(value)) {
    return value.map((element: Value, index) => {
      const path = [...at, index]
      if (isLeftOut(path)) return element
      return maskWithin(element, masking, depth, path, isInside || depth <= lists)
    })
  }
  const name = mask.path[depth]
  if (name !== undefined && !isStructured(value)) {
    if (!isInside || isLeftOut(at) || masking.staysPlain(mask.path.slice(0, depth))) return value
  } else if (name !== undefined) {
    const member = memberOf(value, name)
    if (member === undefined || isLeftOut([...at, name])) return value
    return { ...(value as Members), [name]: maskWithin(member, masking, depth + 1, [...at, name], isInside) }
  }
  if (!isInside) return value
  if (masker.text && typeof value !== 'string') {
    notText?.({ field: mask.field, strategy: mask.strategy.strategy })
    return value
  }
  return masker.constant ? masker.constant.to : masker.mask(value, `${place}\0${at.join('\0')}`)
}
