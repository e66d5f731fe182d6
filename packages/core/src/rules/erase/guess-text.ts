import type { PlannedMask } from '../plan/plan.js'

/** Says of a field that nobody has given a category what it is taken for. */
export function guessText({ inferred, dataCategories }: PlannedMask): string | undefined {
  return inferred && `taken for ${dataCategories.join(', ')} by its name`
}
