import { PrivacyError } from '../errors.js'
import type { Identity } from '../model/identity.js'
import { invalidInput } from '../model/parse-input.js'
import type { Policy } from '../model/policy.js'
import {
  type ExecutionLog,
  type PrivacyRequest,
  parseSubmission,
  type RequestStatus,
} from '../model/privacy-request.js'
import type { Queue } from '../ports/queue.js'
import type { PrivacyRequestRow } from '../ports/rows.js'
import type { Runtime } from '../ports/runtime.js'
import type { Storage } from '../ports/storage.js'
import { nextStatus, type RequestEvent } from '../rules/request-lifecycle.js'
import type { ActionContext } from './context.js'
import { createDataKey, openDataKey, openText, sealText } from './data-key.js'
import { defaultPageSize, listIssues, refuseIssues } from './paging.js'

export interface RequestActionOptions {
  readonly queue: Queue
  /** Rejects with `not_found` when there is none. */
  readonly policy: (key: string) => Promise<Policy>
  /** False: nobody is told of a new request, it waits to be run. */
  readonly immediate: boolean
}

export interface RequestList {
  readonly page?: number
  readonly size?: number
  readonly status?: readonly RequestStatus[]
  readonly externalId?: string
  readonly policyKey?: string
}

export type SubmittedRequest = PrivacyRequest & { readonly warnings: readonly unknown[] }

/** Privacy requests as callers see them; running them is the engine's. */
export function requestActions(context: ActionContext, options: RequestActionOptions) {
  const { storage, runtime, secrets } = context
  const requests = storage.table('privacyRequest')
  const tell = async (id: string) => {
    // The row is the job: a hint that is lost costs the time until the worker looks around by itself.
    if (options.immediate) await options.queue.send(id).catch(() => {})
  }

  const get = async (id: string): Promise<PrivacyRequest> => plain(await requestRow(storage, id))

  return {
    /**
     * Takes a request and sees to it that it runs; resolves as soon as it is stored (§6). Rejects with `invalid_input`
     * when the policy does not exist, with `unsupported` for what this version cannot answer.
     */
    async submit(input: unknown): Promise<SubmittedRequest> {
      const { value: submission, warnings } = parseSubmission(input)
      const policy = await options.policy(submission.policyKey).catch((error) => {
        if (PrivacyError.from(error).code !== 'not_found') throw error
        throw invalidInput('privacy request', [
          { loc: ['policyKey'], msg: `names no policy: there is no '${submission.policyKey}'`, type: 'not_found' },
        ])
      })
      if (policy.rules.some((rule) => rule.action_type === 'erasure')) {
        throw new PrivacyError(
          'unsupported',
          `Policy '${policy.service_key}' has erasure rules, and this version answers access requests only.`,
          { feature: 'erasure' },
        )
      }
      if (submission.encryptionKey !== undefined || submission.encryptionKey256 !== undefined) {
        throw new PrivacyError(
          'unsupported',
          'This version does not encrypt packages with a key of the caller: leave the key out.',
          { feature: 'encryption' },
        )
      }
      const format = policy.rules.flatMap((rule) => rule.format).find((each) => each !== 'json')
      if (format !== undefined) {
        throw new PrivacyError(
          'unsupported',
          `Policy '${policy.service_key}' asks for ${format}, and this version writes JSON only.`,
          { feature: `format ${format}` },
        )
      }
      const id = `pri_${runtime.newId()}`
      const createdAt = runtime.now().toISOString()
      const { dataKey, sealedKey } = await createDataKey(secrets, runtime, id)
      const row: PrivacyRequestRow = {
        id,
        version: 1,
        status: 'pending',
        policyKey: policy.service_key,
        ...(submission.externalId !== undefined && { externalId: submission.externalId }),
        createdAt,
        requestedAt: submission.requestedAt ?? createdAt,
        acceptUnsearched: submission.acceptUnsearched,
        encrypted: false,
      }
      await storage.transaction(async (inside) => {
        await inside.table('privacyRequest').insert(row)
        const sealedIdentities = sealText(dataKey, runtime, id, JSON.stringify(submission.identities))
        await inside.table('requestKey').insert({ id, version: 1, sealedKey, sealedIdentities })
      })
      await tell(id)
      return { ...plain(row), warnings }
    },

    get,

    /** Newest first, a page at a time; `externalId` matches exactly. */
    async list({ page = 1, size = defaultPageSize, status, externalId, policyKey }: RequestList = {}) {
      refuseIssues(listIssues({ page, size }))
      const where = {
        ...(status && { status: { in: status } }),
        ...(externalId !== undefined && { externalId: { equals: externalId } }),
        ...(policyKey !== undefined && { policyKey: { equals: policyKey } }),
      }
      const [total, rows] = await Promise.all([
        requests.count(where),
        requests.find({ where, orderBy: [{ field: 'id', direction: 'desc' }], limit: size, offset: (page - 1) * size }),
      ])
      return { items: rows.map(plain), total, page, size, pages: Math.ceil(total / size) }
    },

    /** Runs again what a failed request has not finished; what it has is kept. Rejects with `invalid_state` otherwise. */
    async retry(id: string): Promise<PrivacyRequest> {
      const row = await requestRow(storage, id)
      const moved = await moveRequest(storage, row, 'retry')
      if (!moved) throw invalidState(await requestRow(storage, id), 'retry')
      await tell(id)
      return plain(moved)
    },

    /** The execution log, oldest entry first. */
    async log(id: string): Promise<readonly ExecutionLog[]> {
      await requestRow(storage, id)
      const rows = await storage.table('executionLog').find({ where: { requestId: { equals: id } } })
      return rows.map(({ version, ...entry }) => entry)
    },
  }
}

/** Moves a request by one event, if nobody else has moved it meanwhile; undefined when the event lost. */
export async function moveRequest(
  storage: Storage,
  row: PrivacyRequestRow,
  event: RequestEvent,
  changes: Partial<PrivacyRequest> = {},
): Promise<PrivacyRequestRow | undefined> {
  const status = nextStatus(row.status, event)
  if (status === undefined) return undefined
  const { failure, leaseHolder, leaseExpiresAt, ...rest } = row
  const moved = { ...rest, ...changes, status, version: row.version + 1 }
  return (await storage.table('privacyRequest').replace(moved)) ? moved : undefined
}

/** How long a run may be silent before another worker takes its request over. */
export const leaseSeconds = 60

export function leaseUntil(runtime: Runtime): string {
  return new Date(runtime.now().getTime() + leaseSeconds * 1_000).toISOString()
}

/** Takes a request for running, so that nobody else runs it; undefined when there is nothing to run or another has it. */
export async function claimRequest(
  context: ActionContext,
  id: string,
  holder: string,
): Promise<PrivacyRequestRow | undefined> {
  const row = await context.storage.table('privacyRequest').get(id)
  if (!row) return undefined
  const changes = {
    leaseHolder: holder,
    leaseExpiresAt: leaseUntil(context.runtime),
    startedProcessingAt: row.startedProcessingAt ?? context.runtime.now().toISOString(),
  }
  if (row.status !== 'in_processing') {
    return nextStatus(row.status, 'run') && moveRequest(context.storage, row, 'run', changes)
  }
  const isHeld = row.leaseHolder !== undefined && (row.leaseExpiresAt ?? '') > context.runtime.now().toISOString()
  if (isHeld) return undefined
  const claimed = { ...row, ...changes, version: row.version + 1 }
  return (await context.storage.table('privacyRequest').replace(claimed)) ? claimed : undefined
}

/** What is personal about a request. Rejects with `gone` once its data was destroyed. */
export async function openRequest(
  context: ActionContext,
  id: string,
): Promise<{ dataKey: Uint8Array; identities: readonly Identity[] }> {
  const row = await context.storage.table('requestKey').get(id)
  if (!row)
    throw new PrivacyError('gone', `The data of request '${id}' was destroyed.`, { kind: 'privacy request', id })
  const dataKey = await openDataKey(context.secrets, id, row.sealedKey)
  return { dataKey, identities: JSON.parse(openText(dataKey, id, row.sealedIdentities)) }
}

export async function requestRow(storage: Storage, id: string): Promise<PrivacyRequestRow> {
  const row = await storage.table('privacyRequest').get(id)
  if (!row) throw new PrivacyError('not_found', `There is no privacy request '${id}'.`, { kind: 'privacy request', id })
  return row
}

function plain({ version, ...request }: PrivacyRequestRow): PrivacyRequest {
  return request
}

function invalidState(row: PrivacyRequestRow, event: RequestEvent): PrivacyError {
  const message = `Request '${row.id}' is ${row.status}, so '${event}' does not apply to it: only a request in status 'error' can be tried again.`
  return new PrivacyError('invalid_state', message, { status: row.status, event })
}
