import type { ActionType } from '../../model/action-type.js'
import { errorTrace } from '../../model/error-trace.js'
import type { Emit } from '../../model/privacy-event.js'
import type { ExecutionLog, ExecutionLogStatus } from '../../model/privacy-request.js'
import type { Runtime } from '../../ports/runtime.js'
import type { Attributes, SpanName, SpanWork, Telemetry } from '../../ports/telemetry.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { Lease } from './hold-lease.js'

type Place = Pick<PlannedCollection, 'dataset' | 'collection'> &
  Partial<Pick<PlannedCollection, 'connectionKey' | 'targeted' | 'erasure'>>

/** Returns the fields of a collection that are delivered or written. */
function fieldsOf({ targeted = [], erasure }: Place, actionType: ActionType): PlannedCollection['targeted'] {
  return actionType === 'access' ? targeted : (erasure?.masks ?? [])
}

/** The fields of remembered plans, which every run logs. They are frozen, so that a storage need not copy them each time. */
const affected = { access: new WeakMap<Place, FieldsAffected>(), erasure: new WeakMap<Place, FieldsAffected>() }

type FieldsAffected = ExecutionLog['fieldsAffected']

function fieldsAffected(place: Place, actionType: ActionType): FieldsAffected {
  const { dataset, collection } = place
  const known = affected[actionType].get(place)
  if (known) return known
  const fields = fieldsOf(place, actionType).map(({ field, dataCategories }) =>
    Object.freeze({
      path: `${dataset}:${collection}:${field}`,
      fieldName: field,
      dataCategories: Object.freeze([...dataCategories]),
    }),
  )
  const made = Object.freeze(fields)
  affected[actionType].set(place, made)
  return made
}

const rowsEveryMs = 200

/** Writes the execution log of one run and emits its events. The run goes on while entries are written. */
export function requestProgress(options: {
  lease: Pick<Lease, 'note' | 'flush'>
  runtime: Runtime
  requestId: string
  emit: Emit
  telemetry: Telemetry
}) {
  const { lease, runtime, requestId, emit, telemetry } = options
  const lastRows = new Map<string, number>()
  return {
    collection(
      place: Place,
      status: ExecutionLogStatus,
      message: string,
      numbers: { rowCount?: number; durationMs?: number } = {},
      actionType: ActionType = 'access',
      error?: unknown,
    ) {
      const { dataset, collection, connectionKey } = place
      lease.note({
        id: runtime.newId(),
        version: 1,
        requestId,
        ...(connectionKey !== undefined && { connectionKey }),
        dataset,
        collection,
        actionType,
        status,
        message,
        ...numbers,
        fieldsAffected: status === 'complete' ? fieldsAffected(place, actionType) : [],
        createdAt: runtime.now().toISOString(),
      })
      const trace = error !== undefined && errorTrace(error)
      emit({ type: 'collection', requestId, dataset, collection, actionType, status, message, ...numbers, ...trace })
    },
    rows(place: Place, rowCount: number) {
      const now = runtime.now().getTime()
      const key = `${place.dataset}:${place.collection}`
      if (now - (lastRows.get(key) ?? 0) < rowsEveryMs) return
      lastRows.set(key, now)
      emit({ type: 'rows', requestId, dataset: place.dataset, collection: place.collection, rowCount })
    },
    /** Does work inside a span that is about this request. */
    span<Result>(name: SpanName, attributes: Attributes, work: SpanWork<Result>): Promise<Result> {
      return telemetry.span({ name, attributes: { 'habeas.request_id': requestId, ...attributes } }, work)
    },
    /** Resolves when all entries are stored. */
    flush: lease.flush,
  }
}

export type RequestProgress = ReturnType<typeof requestProgress>
