import type { ActionType } from '../../model/action-type.js'
import type { MailKind } from '../../model/mail.js'
import type { ExecutionLog, ExecutionLogStatus, RequestStatus } from '../../model/privacy-request.js'
import type { RequestMailStatus } from '../../model/request-mail.js'
import type { Runtime } from '../../ports/runtime.js'
import type { PlannedCollection } from '../../rules/plan/plan.js'
import type { Lease } from './hold-lease.js'

/** The events that a host may listen to while requests run. They hold names, counts and durations, but never a value. */
export type PrivacyEvent =
  | { readonly type: 'request'; readonly requestId: string; readonly status: RequestStatus; readonly message?: string }
  | {
      readonly type: 'collection'
      readonly requestId: string
      readonly dataset: string
      readonly collection: string
      readonly status: ExecutionLogStatus
      readonly message: string
      readonly rowCount?: number
      readonly durationMs?: number
    }
  | {
      readonly type: 'mail'
      readonly requestId: string
      readonly kind: MailKind
      readonly status: RequestMailStatus
      readonly attempts: number
      readonly message?: string
    }
  /** Sent from time to time while a collection is read. `rowCount` counts the rows that it has delivered so far. */
  | {
      readonly type: 'rows'
      readonly requestId: string
      readonly dataset: string
      readonly collection: string
      readonly rowCount: number
    }

export type Emit = (event: PrivacyEvent) => void

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

/** How long an entry may wait for others. */
const gatherMs = 10

/** Writes the execution log of one run and emits its events. The run goes on while entries are written. */
export function requestProgress(options: { write: Lease['write']; runtime: Runtime; requestId: string; emit: Emit }) {
  const { runtime, requestId, emit } = options
  let waiting: (ExecutionLog & { version: number })[] = []
  let writing: Promise<void> | undefined
  let failure: unknown
  const lastRows = new Map<string, number>()

  const write = async () => {
    while (waiting.length > 0) {
      const rows = waiting
      waiting = []
      await options.write((within) => within.table('executionLog').insertMany(rows))
    }
  }
  /** Ends the wait for further entries. Entries that come close together are written at once. */
  let hurry: () => void = () => {}
  const schedule = () => {
    writing ??= new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, gatherMs)
      hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })
      .then(write)
      .catch((error) => {
        failure ??= error
      })
      .finally(() => {
        writing = undefined
        if (waiting.length > 0 && failure === undefined) schedule()
      })
  }
  return {
    collection(
      place: Place,
      status: ExecutionLogStatus,
      message: string,
      numbers: { rowCount?: number; durationMs?: number } = {},
      actionType: ActionType = 'access',
    ) {
      const { dataset, collection, connectionKey } = place
      waiting.push({
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
      schedule()
      emit({ type: 'collection', requestId, dataset, collection, status, message, ...numbers })
    },
    rows(place: Place, rowCount: number) {
      const now = runtime.now().getTime()
      const key = `${place.dataset}:${place.collection}`
      if (now - (lastRows.get(key) ?? 0) < rowsEveryMs) return
      lastRows.set(key, now)
      emit({ type: 'rows', requestId, dataset: place.dataset, collection: place.collection, rowCount })
    },
    /** Resolves when all entries are stored. */
    async flush(): Promise<void> {
      for (let current = writing; current !== undefined; current = writing) {
        hurry()
        await current
      }
      if (failure !== undefined) throw failure
    },
  }
}

export type RequestProgress = ReturnType<typeof requestProgress>
