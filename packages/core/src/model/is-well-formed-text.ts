import * as z from 'zod'

/** What is wrong with a text that no storage is bound to take. */
export const illFormedText = 'must be well-formed text without null characters'

/** Whether every storage takes a text: no half of a surrogate pair, no null character. */
export function isWellFormedText(text: string): boolean {
  return !/\p{Surrogate}|\0/u.test(text)
}

/** For text that does not come with an input, where `cleanInput` looks at all of it. */
export const wellFormedTextSchema = z.string('must be text').refine(isWellFormedText, illFormedText)
