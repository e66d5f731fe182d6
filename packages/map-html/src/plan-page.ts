import type { Plan } from '@habeas/core'
import { pictureHtml } from './picture/picture-html.js'
import { planPicture } from './plan/plan-picture.js'

export interface PlanPageInput {
  /** The `plan` that `privacy.requests.preview` or `review` answers. */
  readonly plan: Plan
  /** Default: `Plan of a request`. */
  readonly title?: string
}

/**
 * The plan of a request as one HTML page that needs nothing else: by which way each collection is reached, what is open,
 * what is not searched, and what an erasure does. A plan holds no values, so the page names no person. The same plan
 * gives the same bytes.
 */
export function planPage(input: PlanPageInput): string {
  return pictureHtml(planPicture(input))
}
