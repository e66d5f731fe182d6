import type { Evaluation, EvaluationSummary } from '../model/evaluation.js'
import type { StoredRow } from './stored-row.js'

/** What lists of evaluations show. The rest is stored apart, since it may be large. */
export interface EvaluationRow extends StoredRow, EvaluationSummary {}

/** `id` is the evaluation's. */
export interface EvaluationDetailRow extends StoredRow, Omit<Evaluation, keyof EvaluationSummary> {}
