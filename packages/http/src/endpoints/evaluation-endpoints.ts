import { endpoint } from '../endpoint.js'
import { choiceParameter, paging, textParameter } from '../parameters.js'
import { mapped, pageOf } from '../schema.js'
import {
  evaluationInput,
  evaluationRecord,
  evaluationSummaryRecord,
  evaluationSummaryToWire,
  evaluationToWire,
} from '../wire/evaluation-record.js'

/** Whether systems declare what a policy prohibits. */
export const evaluationEndpoints = {
  'POST /api/v1/policy/{policy_key}/evaluate': endpoint({
    summary: 'Compare what systems declare, and the datasets they refer to, with the prohibitions of a policy',
    access: ['evaluation:create'],
    body: { schema: evaluationInput, optional: true, what: 'evaluation' },
    status: 201,
    result: evaluationRecord,
    action: async ({ privacy, path, input, by }) =>
      evaluationToWire(await privacy.policies.evaluate(path.policy_key, input, by)),
  }),

  'GET /api/v1/evaluation': endpoint({
    summary: 'List evaluations, newest first',
    access: ['evaluation:read'],
    query: {
      policy_key: textParameter('Those of this policy.'),
      status: choiceParameter('By default both.', ['PASS', 'FAIL']),
      ...paging,
    },
    result: pageOf(evaluationSummaryRecord),
    action: async ({ privacy, query: { policy_key: policyKey, ...query } }) =>
      mapped(await privacy.evaluations.list({ policyKey, ...query }), (each) => evaluationSummaryToWire(each)),
  }),

  'GET /api/v1/evaluation/{evaluation_id}': endpoint({
    summary: 'Read an evaluation: its violations, and the documents that it rests on',
    access: ['evaluation:read'],
    result: evaluationRecord,
    action: async ({ privacy, path }) => evaluationToWire(await privacy.evaluations.get(path.evaluation_id)),
  }),

  'DELETE /api/v1/evaluation/{evaluation_id}': endpoint({
    summary: 'Delete an evaluation',
    access: ['evaluation:delete'],
    action: ({ privacy, path, by }) => privacy.evaluations.remove(path.evaluation_id, by),
  }),
}
