import { isPrivacyError, requestStatuses } from '@habeas/core'
import { choiceParameter, choicesParameter, flagParameter, paging, textParameter } from '../parameters.js'

/** Fields that lists may be sorted by, each with its name in the model. */
export const sortFields = {
  id: 'id',
  created_at: 'createdAt',
  requested_at: 'requestedAt',
  started_processing_at: 'startedProcessingAt',
  finished_processing_at: 'finishedProcessingAt',
  identity_verified_at: 'identityVerifiedAt',
  reviewed_at: 'reviewedAt',
  due_date: 'dueDate',
  status: 'status',
  external_id: 'externalId',
  policy_key: 'policyKey',
} as const

const before = (what: string) => textParameter(`Those ${what} before this time, an ISO 8601 date or date-time.`)
const after = (what: string) => textParameter(`Those ${what} after this time, an ISO 8601 date or date-time.`)

export const withIdentities = {
  include_identities: flagParameter('True: with the identities. Needs the scope privacy-request:view_data.'),
}

/** Identities are not kept once a request was destroyed, or a hold has ended. */
export function undefinedWhenGone(error: unknown): undefined {
  if (!isPrivacyError(error, 'gone')) throw error
}

export const listQuery = {
  request_id: textParameter('The id; with a trailing * all that begin so.'),
  external_id: textParameter("The caller's id; with a trailing * all that begin so."),
  identity: textParameter('The exact value of any property of an identity.'),
  policy_key: textParameter('The key of the policy.'),
  status: choicesParameter('The status; several mean any of them.', requestStatuses),
  created_lt: before('created'),
  created_gt: after('created'),
  started_lt: before('started'),
  started_gt: after('started'),
  completed_lt: before('completed'),
  completed_gt: after('completed'),
  errored_lt: before('that failed'),
  errored_gt: after('that failed'),
  overdue: flagParameter('True: those whose deadline has passed and that have not ended. Not to be set to false.'),
  download_csv: flagParameter('True: all of them as CSV instead, with the identities for who may see them.'),
  verbose: flagParameter('True: with the outcome for each collection.'),
  ...withIdentities,
  sort_field: choiceParameter('By default created_at.', Object.keys(sortFields) as (keyof typeof sortFields)[]),
  sort_direction: choiceParameter('By default desc. What has no value comes last.', ['asc', 'desc']),
  ...paging,
}

/** Parameters whose names differ in the model. */
export const listNames = {
  request_id: 'requestId',
  external_id: 'externalId',
  policy_key: 'policyKey',
  created_lt: 'createdLt',
  created_gt: 'createdGt',
  started_lt: 'startedLt',
  started_gt: 'startedGt',
  completed_lt: 'completedLt',
  completed_gt: 'completedGt',
  errored_lt: 'erroredLt',
  errored_gt: 'erroredGt',
  sort_field: 'sortField',
  sort_direction: 'sortDirection',
} as const
