import * as z from 'zod'
import { isPlainObject } from './clean-input.js'
import { type Identity, identitySchema } from './identity.js'
import { parseInput } from './parse-input.js'

/** Properties that a webhook or a person adds to the identities of a request. Absent: none. */
export interface DerivedIdentity {
  readonly derivedIdentity?: Identity
}

/** The properties that a caller adds when resuming a halted request. */
export interface ResumeInput {
  readonly derivedIdentity?: Readonly<Record<string, string | number | boolean | null>> | null | undefined
}

/** The answer of a two-way webhook. */
export interface WebhookAnswerContent extends DerivedIdentity {
  /** When true, the request waits until somebody resumes it. */
  readonly halt: boolean
}

const derivedSchema = z.preprocess(withoutNulls, identitySchema)
const answerSchema = z.object({ derived_identity: derivedSchema.exactOptional(), halt: z.boolean().default(false) })
const resumeSchema = z.object({ derivedIdentity: derivedSchema.exactOptional() })

/** Drops null properties: the receiver does not know them. */
function withoutNulls(value: unknown): unknown {
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined))
}

const isEmpty = (value: unknown) => isPlainObject(value) && Object.values(value).every((member) => member === null)

/** Drops an identity without properties. */
function withoutEmpty(input: unknown, name: string): unknown {
  if (!isPlainObject(input) || !isEmpty(input[name])) return input
  const { [name]: _, ...rest } = input
  return rest
}

/** Reads the answer of a two-way webhook. Throws `invalid_input` without repeating a value of the answer. */
export function parseWebhookAnswer(body: unknown): WebhookAnswerContent {
  const read = parseInput('answer of a webhook', answerSchema, withoutEmpty(body, 'derived_identity')).value
  return { halt: read.halt, ...(read.derived_identity && { derivedIdentity: read.derived_identity }) }
}

/** Reads the input of a resume. */
export function parseResume(input: unknown): DerivedIdentity {
  return parseInput('resume', resumeSchema, withoutEmpty(input, 'derivedIdentity')).value
}
