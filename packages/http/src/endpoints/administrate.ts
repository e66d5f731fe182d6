import { invalidInput, type PrivacyRequest, parseInput } from '@habeas/core'
import * as z from 'zod'
import type { EndpointCall } from '../endpoint.js'
import { many } from '../one-or-many.js'
import { type Bulk, namedSchema, sentJsonSchema } from '../schema.js'
import { acceptanceMembers, acceptanceShape, type SentAcceptance } from '../wire/acceptance-shape.js'
import { requestToWire } from '../wire/request-record.js'

/** The body of a call that decides on several requests. */
const administration = z.strictObject({
  request_ids: z.array(z.string().max(255)),
  reason: z.string().max(1_000).exactOptional(),
  /** Hash of the plan that was looked at; goes with one request only. */
  plan_hash: z.string().max(255).exactOptional(),
  ...acceptanceShape,
})

export type Administration = z.output<typeof administration>
type Member = Exclude<keyof Administration, 'request_ids'>

const schemaWith = (allowed: readonly Member[]) => {
  const { request_ids, ...members } = administration.shape
  const beside = Object.fromEntries(allowed.map((member) => [member, members[member]]))
  return z.strictObject({ request_ids, ...beside }) as unknown as typeof administration
}

/** What may be left out, at an approval and at a retry. */
export const accepting = acceptanceMembers

export interface SentDecisions extends SentAcceptance {
  reason?: string | null
  plan_hash?: string | null
}

type IdsInput<Allowed extends Member> =
  | readonly string[]
  | ({ request_ids: readonly string[] } & Pick<SentDecisions, Allowed>)

/** Ids of requests: a bare list, or `{request_ids}` with some of the members beside it. */
export function requestIdsInput<Allowed extends Member>(name: string, ...allowed: readonly Allowed[]) {
  return namedSchema<IdsInput<Allowed>>(name, () => ({
    anyOf: [{ type: 'array', items: { type: 'string' } }, sentJsonSchema(schemaWith(allowed))],
  }))
}

/** Repeats ids only, since any other value may be personal. */
const isId = (id: unknown) => typeof id === 'string' && /^[A-Za-z0-9_-]{1,64}$/.test(id)
const echoId = (id: unknown) => ({ privacy_request_id: isId(id) ? id : null })

/** One decision on each of a list of requests, which do not depend on each other. */
export function administrate(
  { body, report }: EndpointCall,
  allowed: readonly Member[],
  act: (id: string, administration: Administration) => Promise<PrivacyRequest>,
): Promise<Bulk<ReturnType<typeof requestToWire>>> {
  const read = readAdministration(body, allowed)
  const one = async (id: unknown) => requestToWire(await act(id as string, read))
  return many(read.request_ids, one, { echo: echoId, report })
}

function readAdministration(body: unknown, allowed: readonly Member[]): Administration {
  const isList = Array.isArray(body)
  const { value } = parseInput('list of requests', schemaWith(allowed), isList ? { request_ids: body } : body, {
    readOnly: [],
    locate: (loc) => ['body', ...(isList ? loc.slice(1) : loc)],
  })
  if (value.plan_hash !== undefined && value.request_ids.length !== 1) {
    const msg = 'goes with one request only'
    throw invalidInput('list of requests', [{ loc: ['body', 'plan_hash'], msg, type: 'invalid_value' }])
  }
  return value
}
