import * as z from 'zod'
import type { Warning } from './clean-input.js'
import type { InputOf } from './input-of.js'
import { keySchema } from './key.js'
import { parseInput } from './parse-input.js'

export const evaluationStatuses = ['PASS', 'FAIL'] as const
/** `FAIL`: the policy prohibits something that a system declares. */
export type EvaluationStatus = (typeof evaluationStatuses)[number]

/**
 * A use of data that a rule prohibits. The lists hold what the rule met, and are empty where the rule does not name the
 * dimension.
 */
export interface Violation {
  readonly policy: string
  readonly rule: string
  readonly system: string
  /** The name of the declaration, or its position as `privacy_declarations[0]` where no name tells it apart. */
  readonly declaration: string
  /** Where the data is described; absent where the declaration itself names some of it, and where several datasets hold it together. */
  readonly dataset?: string
  readonly collection?: string
  /** Its dotted name. */
  readonly field?: string
  readonly dataCategories: readonly string[]
  readonly dataUses: readonly string[]
  readonly dataSubjects: readonly string[]
  readonly dataQualifier?: string
  /** One sentence that names all of it, and what to change. */
  readonly detail: string
}

/** A document as it was evaluated. A document that has another hash now may give another verdict. */
export interface EvaluatedDocument {
  readonly key: string
  /** How often it had been written. */
  readonly version: number
  /** SHA-256 of its canonical JSON, base64url. */
  readonly hash: string
}

/** What a list of evaluations shows. */
export interface EvaluationSummary {
  /** `eva_` and a UUIDv7. */
  readonly id: string
  readonly policyKey: string
  readonly status: EvaluationStatus
  /** How many violations there are. */
  readonly violationCount: number
  readonly createdAt: string
  readonly createdBy: string
}

/** A stored evaluation of a policy, and the documents it rests on. */
export interface Evaluation extends EvaluationSummary {
  /** The first 1,000: those of declarations, then those of datasets by key, then what is held together. */
  readonly violations: readonly Violation[]
  /** What the policy could not say anything about. */
  readonly warnings: readonly Warning[]
  readonly evaluated: {
    readonly policy: EvaluatedDocument
    readonly systems: readonly EvaluatedDocument[]
    readonly datasets: readonly EvaluatedDocument[]
    /** Hash of all keys of the taxonomy and their parents. */
    readonly taxonomyHash: string
  }
}

const someKeys = z.array(keySchema).min(1, 'must name some, or be left out')

const selectionSchema = z.strictObject({
  /** Keys of systems. */
  systems: someKeys.exactOptional(),
  /** Keys of registries: the systems that belong to them. */
  registries: someKeys.exactOptional(),
})

/** Which systems are evaluated. Without any member: all. With both: those of either. An empty list is refused. */
export interface EvaluationInput extends InputOf<typeof selectionSchema> {}

export type SystemSelection = z.output<typeof selectionSchema>

/** It is strict, because a typo would evaluate other systems, and an evaluation of none would pass. */
export function parseEvaluationInput(input: unknown): SystemSelection {
  return parseInput('evaluation', selectionSchema, input, { readOnly: [] }).value
}
