import * as z from 'zod'

/** What a dataset leaves open about whose its rows are, with the answers there are. */
export const openReferencesSchema = z.object({
  summary: z.string(),
  references: z.array(
    z.object({
      name: z.string(),
      collection: z.string(),
      field: z.string(),
      to: z.string(),
      kinds: z.array(z.enum(['reference', 'look-up'])),
      why: z.string(),
      answers: z.array(
        z.object({
          write: z.enum(['direction', 'owner', 'reviewed']),
          at: z.string(),
          value: z.union([z.enum(['from', 'to', 'both', 'none']), z.literal(true), z.array(z.string())]),
          means: z.string(),
          proposal: z.string().exactOptional(),
        }),
      ),
    }),
  ),
})
