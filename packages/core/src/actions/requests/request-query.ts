import { wellFormedTextSchema } from '../../model/is-well-formed-text.js'
import { nearestHint } from '../../model/nearest-key.js'
import { type RequestStatus, requestStatuses } from '../../model/privacy-request.js'
import { timestampSchema } from '../../model/timestamp-schema.js'
import type { FieldCondition, Query, Where } from '../../ports/storage.js'
import { isEnd } from '../../rules/request/request-lifecycle.js'
import { listIssues, type Paging, refuseIssues } from '../paging.js'

const sortFields = [
  'createdAt',
  'requestedAt',
  'startedProcessingAt',
  'finishedProcessingAt',
  'identityVerifiedAt',
  'reviewedAt',
  'dueDate',
  'status',
  'externalId',
  'policyKey',
  'id',
] as const
const sortDirections = ['asc', 'desc'] as const

/** The list filters of the specification; a request must meet all of them. */
export interface RequestListOptions extends Paging {
  /** Exact; a trailing `*` makes a prefix. */
  readonly requestId?: string | undefined
  /** Exact; a trailing `*` makes a prefix. */
  readonly externalId?: string | undefined
  /** The value of any property of any identity, exactly. */
  readonly identity?: string | number | boolean | undefined
  /** One status, or several of which one must match. */
  readonly status?: RequestStatus | readonly RequestStatus[] | undefined
  readonly policyKey?: string | undefined
  /** True: open requests whose deadline has passed. */
  readonly overdue?: true | undefined
  /** ISO 8601, as in all that follow; the instant itself is neither before nor after it. */
  readonly createdLt?: string | undefined
  readonly createdGt?: string | undefined
  readonly startedLt?: string | undefined
  readonly startedGt?: string | undefined
  /** When a request in status `complete` ended. */
  readonly completedLt?: string | undefined
  readonly completedGt?: string | undefined
  /** When a request in status `error` ended. */
  readonly erroredLt?: string | undefined
  readonly erroredGt?: string | undefined
  /** Default: `createdAt`. Requests without a value come last. */
  readonly sortField?: (typeof sortFields)[number] | undefined
  /** Default: `desc`. */
  readonly sortDirection?: (typeof sortDirections)[number] | undefined
}

const known = {
  ...{ requestId: true, externalId: true, identity: true, status: true, policyKey: true, overdue: true },
  ...{ createdLt: true, createdGt: true, startedLt: true, startedGt: true, completedLt: true, completedGt: true },
  ...{ erroredLt: true, erroredGt: true, sortField: true, sortDirection: true, page: true, size: true },
} satisfies Record<keyof RequestListOptions, true>

interface RequestQuery {
  readonly where: Where<'privacyRequest'>
  readonly orderBy: NonNullable<Query<'privacyRequest'>['orderBy']>
}

/** The options as a query, all but `identity` and the page. Throws `invalid_input` naming every bad option. */
export function requestQuery(options: RequestListOptions, now: Date): RequestQuery {
  const { status = [], sortField = 'createdAt', sortDirection = 'desc' } = options
  const statuses = [status].flat()
  const { issues, refuse, read } = optionReader(options)
  const oneOf = (name: string, value: unknown, known: readonly string[]) => {
    if (!known.includes(value as string)) refuse(name, `must be one of ${known.join(', ')}`)
  }
  const text = (name: 'requestId' | 'externalId' | 'policyKey') => read(name, wellFormedTextSchema)
  const [requestId, externalId, policyKey] = [text('requestId'), text('externalId'), text('policyKey')]
  for (const each of statuses) oneOf('status', each, requestStatuses)
  if (!['undefined', 'string', 'number', 'boolean'].includes(typeof options.identity)) {
    refuse('identity', 'must be text, a number, true or false')
  }
  oneOf('sortField', sortField, sortFields)
  oneOf('sortDirection', sortDirection, sortDirections)

  const between = (name: Interval): FieldCondition<string> | undefined => {
    const [lt, gt] = [read(`${name}Lt`, timestampSchema), read(`${name}Gt`, timestampSchema)]
    if (lt !== undefined && gt !== undefined && lt < gt) refuse(`${name}Lt`, `must not be earlier than ${name}Gt`)
    if (lt === undefined && gt === undefined) return undefined
    return { ...(lt !== undefined && { lt }), ...(gt !== undefined && { gt }) }
  }
  const [created, started] = [between('created'), between('started')]
  const [completed, errored] = [between('completed'), between('errored')]
  if (completed && errored) {
    for (const name of ['completedLt', 'completedGt', 'erroredLt', 'erroredGt'] as const) {
      if (options[name] !== undefined) refuse(name, 'must not be combined: no request is both complete and in error')
    }
  }
  if (options.overdue !== undefined && options.overdue !== true) refuse('overdue', 'must be true or left out')
  refuseIssues(issues)

  const open = options.overdue ? requestStatuses.filter((each) => !isEnd(each)) : requestStatuses
  const ended = completed ?? errored
  // Ids grow with time: requests that share a value follow the requested direction, too.
  const byId = { field: 'id' as const, direction: sortDirection }
  const inStatus = {
    ...((statuses.length > 0 || options.overdue) && {
      in: open.filter((each) => statuses.length === 0 || statuses.includes(each)),
    }),
    ...(ended && { equals: completed ? ('complete' as const) : ('error' as const) }),
  }
  return {
    where: {
      ...(requestId !== undefined && { id: exactOrPrefix(requestId) }),
      ...(externalId !== undefined && { externalId: exactOrPrefix(externalId) }),
      ...(policyKey !== undefined && { policyKey: { equals: policyKey } }),
      ...(created && { createdAt: created }),
      ...(started && { startedProcessingAt: started }),
      ...(ended && { finishedProcessingAt: ended }),
      ...(options.overdue && { dueDate: { lt: now.toISOString() } }),
      ...(Object.keys(inStatus).length > 0 && { status: inStatus }),
    },
    orderBy: sortField === 'id' ? [byId] : [{ field: sortField, direction: sortDirection }, byId],
  }
}

type Interval = 'created' | 'started' | 'completed' | 'errored'

function exactOrPrefix(pattern: string): FieldCondition<string> {
  return pattern.endsWith('*') ? { startsWith: pattern.slice(0, -1) } : { equals: pattern }
}

/** Reads options one by one and collects their problems. */
function optionReader(options: RequestListOptions) {
  const issues = listIssues({ page: options.page, size: options.size })
  const refuse = (name: string, msg: string) => issues.push({ loc: [name], msg, type: 'invalid_value' })
  // A filter that is misspelled would list everything.
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue
    issues.push({
      loc: [name],
      msg: `is not known here${nearestHint(name, Object.keys(known))}`,
      type: 'unknown_member',
    })
  }
  const read = (name: keyof RequestListOptions, schema: typeof wellFormedTextSchema | typeof timestampSchema) => {
    if (options[name] === undefined) return undefined
    const { data, error } = schema.safeParse(options[name])
    if (error) refuse(name, error.issues[0]?.message as string)
    return data
  }
  return { issues, refuse, read }
}
