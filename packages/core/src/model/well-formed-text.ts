import * as z from 'zod'

/** Text that every storage takes: no half of a surrogate pair, no null character. */
export const wellFormedTextSchema = z
  .string('must be text')
  .refine((text) => !/\p{Surrogate}|\0/u.test(text), 'must be well-formed text without null characters')
