import type { ActionType } from './action-type.js'
import type { ErrorTrace } from './error-trace.js'
import type { MailKind } from './mail.js'
import type { ExecutionLogStatus, RequestStatus } from './privacy-request.js'
import type { RequestMailStatus } from './request-mail.js'

/**
 * What an event is about a request. `changed`: a call, or upkeep, has given it another status. `ended`: a run has given it
 * another status. `submitted`: it is new. `taken_over`: a run has claimed it after the run before fell silent. `lost`: a run
 * has stopped because the request was taken over from it.
 */
export type RequestStep =
  | 'submitted'
  | 'changed'
  | 'claimed'
  | 'taken_over'
  | 'waiting'
  | 'retrying'
  | 'handed_back'
  | 'lost'
  | 'ended'

/** The parts of the service whose failures no request tells of. */
export type ServicePart = 'storage' | 'secrets' | 'blobs' | 'queue' | 'worker' | 'upkeep' | 'mails' | 'connection'

/** The events that a host may listen to. They hold names, counts and durations, but never a value. */
export type PrivacyEvent =
  | ({
      readonly type: 'request'
      readonly requestId: string
      readonly status: RequestStatus
      /** Default: `changed`. */
      readonly step?: RequestStep
      readonly message?: string
      /** Whether the request erases. Absent where that was not looked at. */
      readonly actionType?: ActionType
      /** How long the run took that has ended. */
      readonly durationMs?: number
      /** Of a retry: how many failures in a row there were, and when the next attempt is due. */
      readonly attempt?: number
      readonly dueAt?: string
    } & Partial<ErrorTrace>)
  | ({
      readonly type: 'collection'
      readonly requestId: string
      readonly dataset: string
      readonly collection: string
      readonly actionType: ActionType
      readonly status: ExecutionLogStatus
      readonly message: string
      readonly rowCount?: number
      readonly durationMs?: number
    } & Partial<ErrorTrace>)
  | ({
      readonly type: 'mail'
      readonly requestId: string
      readonly kind: MailKind
      readonly status: RequestMailStatus
      readonly attempts: number
      readonly message?: string
    } & Partial<ErrorTrace>)
  /** Sent from time to time while a collection is read. `rowCount` counts the rows that it has delivered so far. */
  | {
      readonly type: 'rows'
      readonly requestId: string
      readonly dataset: string
      readonly collection: string
      readonly rowCount: number
    }
  /** Something failed that is tried again, or works again, and that no request and no caller tells of. `doing` says what it was. */
  | ({
      readonly type: 'service'
      readonly part: ServicePart
      readonly doing: string
      readonly status: 'failing' | 'working'
      readonly requestId?: string
    } & Partial<ErrorTrace>)

export type Emit = (event: PrivacyEvent) => void
