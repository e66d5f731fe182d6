import type { Identity } from '../model/identity.js'
import type { Warning } from '../model/parse-input.js'
import type { Policy } from '../model/policy.js'
import { type ExecutionLog, type PrivacyRequest, parseCancellation, parseSubmission } from '../model/privacy-request.js'
import type { Queue } from '../ports/queue.js'
import type { PrivacyRequestRow, RowKind } from '../ports/rows.js'
import type { Query, Table, Where } from '../ports/storage.js'
import type { ActionContext } from './context.js'
import { emptyPage, listIssues, type Page, type Paging, readPage, refuseIssues } from './paging.js'
import { identityHashes, openRequest, sealIdentities } from './request-identities.js'
import { type RequestListOptions, requestQuery } from './request-list.js'
import { moveOrRefuse, requestRow, shownRequest } from './request-rows.js'
import type { ServiceKeys } from './service-keys.js'
import { policyOf, refuseUnsupported } from './submission.js'

export interface RequestActionOptions {
  readonly queue: Queue
  /** Rejects with `not_found` when there is none. */
  readonly policy: (key: string) => Promise<Policy>
  /** False: nobody is told of a new request, it waits to be run. */
  readonly immediate: boolean
  readonly serviceKeys: ServiceKeys
}

export type SubmittedRequest = PrivacyRequest & { readonly warnings: readonly Warning[] }

export interface CancelOptions {
  /** Free text for people, at most 1,000 characters. */
  readonly reason?: string | undefined
}

/** Privacy requests as callers see them; running them is the engine's. Every one rejects with `not_found` for an unknown id. */
export function requestActions(context: ActionContext, options: RequestActionOptions) {
  const { storage, runtime } = context
  const requests = storage.table('privacyRequest')
  const identities = identityHashes(options.serviceKeys)
  const tell = async (id: string) => {
    // The row is the job: a hint that is lost costs the time until the worker looks around by itself.
    if (options.immediate) await options.queue.send(id).catch(() => {})
  }
  /** Ids of the requests of which an identity has this value. */
  const requestsOf = async (value: Identity[string]): Promise<readonly string[]> => {
    const where = { identityHash: { equals: await identities.hash(value) } }
    return (await storage.table('requestIdentity').find({ where })).map(({ requestId }) => requestId)
  }

  return {
    /**
     * Takes a request and sees to it that it runs; resolves as soon as it is stored (§6). Rejects with `invalid_input`
     * when the policy does not exist, with `unsupported` for what this version cannot answer.
     */
    async submit(input: unknown): Promise<SubmittedRequest> {
      const { value: submission, warnings } = parseSubmission(input)
      const policy = await policyOf(submission, options.policy)
      refuseUnsupported(policy, submission)
      const id = `pri_${runtime.newId()}`
      const createdAt = runtime.now().toISOString()
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
      const sealed = await sealIdentities(context, id, submission.identities)
      const hashed = await identities.rows(runtime, id, submission.identities)
      await storage.transaction(async (inside) => {
        await inside.table('privacyRequest').insert(row)
        await inside.table('requestKey').insert(sealed)
        await inside.table('requestIdentity').insertMany(hashed)
      })
      await tell(id)
      return { ...shownRequest(row), warnings }
    },

    async get(id: string): Promise<PrivacyRequest> {
      return shownRequest(await requestRow(storage, id))
    },

    /** Newest first unless sorted otherwise, a page at a time. Rejects with `invalid_input` naming every bad option. */
    async list(options: RequestListOptions = {}): Promise<Page<PrivacyRequest>> {
      const { where: asked, orderBy } = requestQuery(options)
      const ids = options.identity === undefined ? undefined : await requestsOf(options.identity)
      if (ids?.length === 0) return emptyPage(options)
      const where: Where<'privacyRequest'> = ids ? { ...asked, id: { ...asked.id, in: ids } } : asked
      return readPage(inOrder(requests, orderBy), where, options, shownRequest)
    },

    /** For callers who may see the person's data. Rejects with `gone` once it was destroyed. */
    async identities(id: string): Promise<readonly Identity[]> {
      await requestRow(storage, id)
      return (await openRequest(context, id)).identities
    },

    /** Runs again what a failed request has not finished; what it has is kept. Rejects with `invalid_state` otherwise. */
    async retry(id: string): Promise<PrivacyRequest> {
      const row = await moveOrRefuse(storage, id, 'retry')
      await tell(id)
      return shownRequest(row)
    },

    /**
     * Ends a request that is not wanted any more, for good; exactly one of several callers succeeds. Rejects with
     * `invalid_state` when it has ended already.
     */
    async cancel(id: string, options: CancelOptions = {}): Promise<PrivacyRequest> {
      const { reason } = parseCancellation(options)
      const canceledAt = runtime.now().toISOString()
      const changes = { canceledAt, ...(reason !== undefined && { cancelReason: reason }) }
      return shownRequest(await moveOrRefuse(storage, id, 'cancel', changes))
    },

    /** The execution log, oldest entry first, a page at a time. */
    async log(id: string, paging: Paging = {}): Promise<Page<ExecutionLog>> {
      refuseIssues(listIssues(paging))
      await requestRow(storage, id)
      const entries = inOrder(storage.table('executionLog'), [{ field: 'createdAt' }])
      return readPage(entries, { requestId: { equals: id } }, paging, ({ version, ...entry }) => entry)
    },
  }
}

/** A table whose rows come in this order. */
function inOrder<Kind extends RowKind>(table: Table<Kind>, orderBy: NonNullable<Query<Kind>['orderBy']>) {
  return {
    count: (where: Where<Kind>) => table.count(where),
    find: (query: Query<Kind>) => table.find({ ...query, orderBy }),
  }
}
