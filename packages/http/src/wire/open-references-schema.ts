import * as z from 'zod'

/** What a dataset leaves open about the owners of its rows, with the possible answers. */
export const openReferencesSchema = z.object({
  summary: z.string(),
  references: z.array(
    z.object({
      name: z.string(),
      collection: z.string(),
      field: z.string(),
      /** Null where no reference is described, and another field or its name says that it refers to something. */
      to: z.string().nullable(),
      kinds: z.array(z.enum(['reference', 'look-up'])),
      why: z.string(),
      answers: z.array(
        z.object({
          write: z.enum(['direction', 'owner', 'reviewed', 'reference']),
          at: z.string(),
          value: z.union([
            z.enum(['from', 'to', 'both', 'none']),
            z.literal(true),
            z.array(z.string()),
            z.object({
              dataset: z.string(),
              field: z.string(),
              when: z.record(z.string(), z.string()).exactOptional(),
              direction: z.enum(['from', 'none']).exactOptional(),
            }),
          ]),
          means: z.string(),
          exampleOf: z.string().exactOptional(),
          proposal: z.string().exactOptional(),
        }),
      ),
    }),
  ),
})
