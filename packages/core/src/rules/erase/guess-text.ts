import type { PlannedMask } from '../plan/plan.js'

/** The suggested category of a field that has none. */
export function guessText({ inferred, dataCategories }: PlannedMask): string | undefined {
  return inferred && `taken for ${dataCategories.join(', ')} by its name`
}
