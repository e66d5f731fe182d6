import type { LookedFor } from '@habeas/core'
import * as z from 'zod'

/** By what an erasure has looked for rows, where it found none. */
export const lookedForSchema = z.array(
  z.object({ property: z.string(), spellings: z.array(z.string()), fields: z.array(z.string()) }),
)

export function lookedForToWire(lookedFor: readonly LookedFor[] = []) {
  return lookedFor.map(({ property, spellings, fields }) => ({
    property,
    spellings: [...(spellings as readonly string[])],
    fields: [...fields],
  }))
}
