import { type AcceptanceInput, isPlainObject, schemas } from '@habeas/core'
import * as z from 'zod'
import { wireRecord } from './wire-record.js'

/** Names that differ on the wire. */
export const acceptanceNames = {
  accept_unsearched: 'acceptUnsearched',
  accept_undecided: 'acceptUndecided',
  accept_unconfirmed: 'acceptUnconfirmed',
} as const satisfies Readonly<Record<string, keyof AcceptanceInput>>

type Member = keyof typeof acceptanceNames

export const acceptanceMembers = Object.keys(acceptanceNames) as readonly Member[]

/** What may be left out of a request, as callers say it: `true` or a list of names. */
export type SentAcceptance = { [Name in Member]?: boolean | readonly string[] | null }

const { acceptUnsearched, acceptUndecided, acceptUnconfirmed } = schemas.acceptance.shape

/** The members by which a body says what may be left out. */
export const acceptanceShape = {
  accept_unsearched: acceptUnsearched,
  accept_undecided: acceptUndecided,
  accept_unconfirmed: acceptUnconfirmed,
} satisfies Record<Member, z.ZodType>

/** Whether a body accepts something, for which a caller needs a scope. Null and false accept nothing. */
export function accepts(body: unknown): boolean {
  return isPlainObject(body) && acceptanceMembers.some((name) => ![undefined, null, false].includes(body[name] as null))
}

/** Members of a body that has been read, under their names in the model. */
export function acceptanceOf(read: SentAcceptance): AcceptanceInput {
  const said = Object.entries(acceptanceNames).map(([wire, model]) => [model, read[wire as Member]])
  return Object.fromEntries(said.filter(([, value]) => value !== undefined))
}

const names = z.union([z.literal(true), z.array(z.string())]).nullable()

/** In answers, under the names by which the same may be sent. */
export const accepted = wireRecord<AcceptanceInput>()(
  { accept_unsearched: names, accept_undecided: names, accept_unconfirmed: names },
  {
    made: {
      accept_unsearched: ({ acceptUnsearched }) => acceptUnsearched || null,
      accept_undecided: ({ acceptUndecided }) => acceptUndecided || null,
      accept_unconfirmed: ({ acceptUnconfirmed }) => acceptUnconfirmed || null,
    },
  },
)
