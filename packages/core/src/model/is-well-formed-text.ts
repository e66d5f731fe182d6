import * as z from 'zod'

/** The message for text that some storages refuse. */
export const illFormedText = 'must be well-formed text without null characters'

/** Whether every storage takes a text: it has no half surrogate pair and no null character. */
export function isWellFormedText(text: string): boolean {
  return !/\p{Surrogate}|\0/u.test(text)
}

/** For single texts outside an input. `cleanInput` checks all texts of an input. */
export const wellFormedTextSchema = z.string('must be text').refine(isWellFormedText, illFormedText)
