import type { Plan, PlannedCollection } from '@habeas/core'
import * as z from 'zod'
import { notShown, wireRecord } from './wire-record.js'

const texts = z.array(z.string())

/** What makes rows of a collection the person's. */
export const ownerSchema = z.object({
  /** Fields that decide outright, the first that holds a value, where the description names them. */
  first: texts,
  through: z.array(
    z.object({
      /**
       * `identity`: its fields hold a property of the person. `reference`: its fields refer to a row of `collection` that is the
       * person's. `pointed to`, `named`: the fields of such a row refer to it, as to a part of the person or to the person.
       */
      kind: z.enum(['identity', 'reference', 'pointed to', 'named']),
      /** In `collection` where something points here, else in the collection itself. */
      fields: texts,
      property: z.string().nullable(),
      /** Null where that collection is not searched. */
      collection: z.string().nullable(),
      /** The description does not say so: it is the only possible reference. */
      inferred: z.boolean(),
    }),
  ),
})

type Through = z.output<typeof ownerSchema>['through'][number]

export function ownerToWire({ address, judging }: PlannedCollection, { collections }: Plan) {
  const leading = collections.flatMap((from) =>
    from.links.filter(({ to }) => to === address).map((link) => ({ ...link, from: from.address })),
  )
  const { identities, owners, first = [], inferred } = judging
  const names = (fields: readonly { readonly name: string }[]) => fields.map(({ name }) => name)
  const referencing = { part: 'pointed to', named: 'named' } as const
  const nothing = { property: null, collection: null, inferred: false }
  return {
    first: first.flatMap((entry) =>
      'owner' in entry
        ? names(owners[entry.owner]?.fields ?? [])
        : names([identities[entry.identity]?.field].filter((field) => field !== undefined)),
    ),
    through: [
      ...identities.map(
        ({ property, field }): Through => ({ ...nothing, kind: 'identity', fields: [field.name], property }),
      ),
      ...owners.map((owner): Through => {
        const link = leading.find(
          ({ entry, kind }) => entry === owner.entry && (kind === 'owned' || kind === 'compared'),
        )
        return {
          ...nothing,
          kind: 'reference',
          fields: names(owner.fields),
          collection: link?.from ?? null,
          inferred: owner.name === inferred,
        }
      }),
      ...leading.flatMap(({ kind, fields, from }): Through[] =>
        kind === 'part' || kind === 'named'
          ? [{ ...nothing, kind: referencing[kind], fields: names(fields), collection: from }]
          : [],
      ),
    ],
  }
}

/** A reference whose meaning is undecided: its rows are counted and stay as they are. */
export const open = wireRecord<Plan['open'][number]>()(
  {
    name: z.string(),
    /** `reference`: rows of `address` may be the person's. `look-up`: what it leads to there may be. */
    kind: z.enum(['reference', 'look-up']),
    address: z.string(),
    why: z.string(),
    /** What a person may write into the dataset to decide it. */
    answers: z.string(),
  },
  {
    elsewhere: {
      collection: 'address',
      connectionKey: 'connection_key of the collection',
      ...notShown('by', 'fields', 'when', 'undecidedWhileEmpty', 'indexed', 'uncounted'),
    },
  },
)
