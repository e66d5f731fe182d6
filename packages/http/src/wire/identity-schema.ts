import * as z from 'zod'

/** Properties of one person, by name. */
export const identitySchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
