import { erasureDecision, type Plan } from '@habeas/core'
import type { Tone } from '../picture/picture.js'
import type { PlanPlace } from './plan-places.js'

/** What becomes of the rows of a collection. */
export type Outcome = 'deleted' | 'masked' | 'kept' | 'delivered' | 'read' | 'counted' | 'unsearched'

/** In the order in which a page names them. */
export const outcomes: readonly { readonly key: Outcome; readonly label: string; readonly tone?: Tone }[] = [
  { key: 'deleted', label: 'Rows are deleted', tone: 'deleted' },
  { key: 'masked', label: 'Fields are masked', tone: 'masked' },
  { key: 'kept', label: 'Everything is kept', tone: 'kept' },
  { key: 'delivered', label: 'Delivered' },
  { key: 'read', label: 'Only read' },
  { key: 'counted', label: 'Only counted', tone: 'open' },
  { key: 'unsearched', label: 'Not searched', tone: 'faint' },
]

/** Undefined for a property, which is no collection. */
export function outcomeOf(plan: Plan, place: PlanPlace): Outcome | undefined {
  if (place.kind === 'property') return undefined
  if (place.kind === 'counted') return 'counted'
  if (place.kind !== 'searched') return 'unsearched'
  const { collection } = place
  return erasureDecision(plan, collection)?.kind ?? (collection.deliver.length > 0 ? 'delivered' : 'read')
}
