import type { EvaluatedDocument, Evaluation, EvaluationSummary, Violation } from '@habeas/core'
import * as z from 'zod'
import { namedSchema, zodSchema } from '../schema.js'
import { warningSchema } from './finding-schema.js'
import { asItIs, wireRecord } from './wire-record.js'

/** Which systems are evaluated; without a body all of them. */
export interface EvaluationSent {
  systems?: readonly string[] | null
  registries?: readonly string[] | null
}

const keys = (description: string) => ({ type: ['array', 'null'], items: { type: 'string' }, minItems: 1, description })

export const evaluationInput = namedSchema<EvaluationSent>('EvaluationInput', () => ({
  type: 'object',
  properties: {
    systems: keys('Keys of systems. By default all are evaluated, and with registries those of either.'),
    registries: keys('Keys of registries: the systems that belong to them.'),
  },
  additionalProperties: false,
}))

const summary = {
  id: z.string(),
  policy_key: z.string(),
  /** FAIL: there are violations. */
  status: z.enum(['PASS', 'FAIL']),
  violation_count: z.int(),
  created_at: z.iso.datetime(),
  created_by: z.string(),
}

const violation = wireRecord<Violation>()({
  policy: z.string(),
  rule: z.string(),
  system: z.string(),
  declaration: z.string(),
  dataset: z.string().nullable(),
  collection: z.string().nullable(),
  field: z.string().nullable(),
  data_categories: z.array(z.string()),
  data_uses: z.array(z.string()),
  data_subjects: z.array(z.string()),
  data_qualifier: z.string().nullable(),
  detail: z.string(),
})

const document = wireRecord<EvaluatedDocument>()({ key: z.string(), version: z.int(), hash: z.string() })

const evaluated = wireRecord<Evaluation['evaluated']>()({
  policy: document.schema,
  systems: z.array(document.schema),
  datasets: z.array(document.schema),
  taxonomy_hash: z.string(),
})

const listed = wireRecord<EvaluationSummary>()(summary)

const evaluation = wireRecord<Evaluation>()({
  ...summary,
  /** The first 1,000. */
  violations: z.array(violation.schema),
  warnings: z.array(asItIs(warningSchema)),
  /** The documents as they were. */
  evaluated: evaluated.schema,
})

export const evaluationRecord = zodSchema(evaluation.schema, { name: 'Evaluation' })
export const evaluationToWire = evaluation.toWire
export const evaluationSummaryRecord = zodSchema(listed.schema, { name: 'EvaluationSummary' })
export const evaluationSummaryToWire = listed.toWire
