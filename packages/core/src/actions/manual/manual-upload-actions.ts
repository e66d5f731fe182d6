import { openText, sealText } from '../../crypto/data-key.js'
import { PrivacyError } from '../../errors.js'
import { fitsFields, type ManualValues, parseManualUpload } from '../../model/parse-manual-upload.js'
import type { Policy } from '../../model/policy.js'
import type { PrivacyRequest } from '../../model/privacy-request.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { needsManualData } from '../../rules/policy/targets.js'
import { isEnd, nextStep } from '../../rules/request/request-lifecycle.js'
import { eachRequest } from '../not-done.js'
import { auditedTransaction, noteAudit } from '../proof/audit-actions.js'
import { invalidState, moveRequest, requestRow, requestSubject } from '../requests/move-request.js'
import { openPersonalData } from '../requests/personal-data.js'
import type { RequestCaller, RequestContext } from '../requests/request-context.js'
import { showWritten } from '../requests/show-requests.js'
import { tookEffect, untilWritten } from '../until-written.js'
import { inputMissing, uploadId } from './input-missing.js'
import { type DescribedManualWebhook, enabledWebhooks, needManualWebhook } from './manual-webhook-actions.js'

/** The upload for one webhook of one request. */
export interface ManualUploadState {
  /**
   * True when it covers every field that the webhook asks for now. Otherwise it has to be uploaded, once more if there
   * was an upload.
   */
  readonly checked: boolean
  /** Every label of the webhook; null where it was left empty. */
  readonly fields: ManualValues
}

/** An upload as it goes into the package. */
export interface ManualDelivery {
  readonly webhook: string
  readonly name: string
  readonly data: ManualValues
}

/** Data that people upload for requests, sealed under each request's data key, and the requests that wait for it. */
export function manualUploadActions(context: RequestContext) {
  const { storage, runtime, policy } = context
  const table = storage.table('manualUpload')

  /** Lets a request continue when nothing is missing any more and a webhook it waited for was removed. Returns whether it does. */
  async function releaseIfComplete(row: PrivacyRequestRow, asked: ReadonlySet<string>): Promise<boolean> {
    const gone = (row.missingInput ?? []).filter((key) => !asked.has(key))
    const given = await Promise.all(gone.map((key) => table.get(uploadId(row.id, key))))
    if (!given.includes(undefined)) return false
    if ((await inputMissing(storage, row, await policy(row.policyKey))).length > 0) return false
    const moved = await moveRequest(context, row, { event: 'resume', actor: 'system' })
    if (!moved) return false
    context.changed?.(row.id, moved.status)
    await context.tell(row.id)
    return true
  }

  return {
    async uploadManualData(id: string, webhook: string, input: unknown, { caller }: RequestCaller = {}): Promise<void> {
      const { fields } = await needManualWebhook(storage, webhook)
      const request = await requestRow(storage, id)
      if (isEnd(request.status)) {
        const message = `Request '${id}' is in status '${request.status}', so nothing can be uploaded for it: ${nextStep(request)}.`
        throw new PrivacyError('invalid_state', message, { status: request.status, event: 'upload' })
      }
      const values = parseManualUpload(fields, input)
      const { dataKey } = await openPersonalData(context, id)
      const rowId = uploadId(id, webhook)
      await untilWritten('upload', rowId, async () => {
        const stored = await table.get(rowId)
        const row = {
          id: rowId,
          version: (stored?.version ?? 0) + 1,
          requestId: id,
          labels: fields.map(({ dsrPackageLabel }) => dsrPackageLabel),
          sealedValues: sealText(dataKey, runtime, rowId, JSON.stringify(values)),
          uploadedAt: runtime.now().toISOString(),
        }
        const write = async (within: Storage): Promise<boolean> => {
          const uploads = within.table('manualUpload')
          if (stored ? !(await uploads.replace(row)) : await uploads.insert(row)) return false
          const what = { action: 'manual_data_uploaded', subject: requestSubject(id), detail: { webhook } }
          const entry = { ...what, actor: context.actorOf(caller) }
          await noteAudit(context, within, entry)
          return true
        }
        return (await tookEffect(() => auditedTransaction(storage, write))) || undefined
      })
    },

    async manualData(id: string, webhook: string): Promise<ManualUploadState> {
      const { fields } = await needManualWebhook(storage, webhook)
      await requestRow(storage, id)
      const { dataKey } = await openPersonalData(context, id)
      const row = await table.get(uploadId(id, webhook))
      const values = row ? new Map(Object.entries(openValues(dataKey, row))) : new Map<string, never>()
      const labels = fields.map(({ dsrPackageLabel }) => dsrPackageLabel)
      return {
        checked: row !== undefined && fitsFields(row.labels, fields),
        fields: Object.fromEntries(labels.map((label) => [label, values.get(label) ?? null])),
      }
    },

    async resumeFromRequiresInput(id: string, { caller }: RequestCaller = {}): Promise<PrivacyRequest> {
      const request = await requestRow(storage, id)
      if (request.status !== 'requires_input') throw invalidState(request, 'resume', 'resumeFromRequiresInput')
      const keys = await inputMissing(storage, request, await policy(request.policyKey))
      if (keys.length > 0) {
        const message = `Request '${id}' waits for what ${keys.length > 1 ? 'the manual webhooks' : 'the manual webhook'} '${keys.join("', '")}' ask${keys.length > 1 ? '' : 's'} for: upload it, or {} where nothing was found.`
        throw new PrivacyError('invalid_state', message, { status: request.status, event: 'resume' })
      }
      const moved = await context.move(id, caller, (row) => {
        // A paused request is resumed by other actions.
        if (row.status !== 'requires_input') throw invalidState(row, 'resume', 'resumeFromRequiresInput')
        return { event: 'resume' }
      })
      await context.tell(id)
      return showWritten(context, moved)
    },

    /** Lets requests continue whose last missing webhook was removed. Resolves with their number. */
    async releaseRequests(): Promise<number> {
      const waiting = await storage.table('privacyRequest').find({ where: { status: { equals: 'requires_input' } } })
      if (waiting.length === 0) return 0
      const asked = new Set((await enabledWebhooks(storage)).map(({ connectionKey }) => connectionKey))
      return eachRequest(context, waiting, {
        doing: 'release a request',
        work: (row) => releaseIfComplete(row, asked),
      })
    },
  }
}

const openValues = (dataKey: Uint8Array, row: { readonly id: string; readonly sealedValues: string }): ManualValues =>
  JSON.parse(openText(dataKey, row.id, row.sealedValues))

/** The uploads that go into the package: those of the enabled webhooks, which were `asked`. An empty upload says "nothing found". */
export async function manualDeliveries(
  storage: Storage,
  id: string,
  dataKey: Uint8Array,
  applied: Policy,
  asked: readonly DescribedManualWebhook[],
): Promise<readonly ManualDelivery[]> {
  if (!needsManualData(applied)) return []
  const deliveries: ManualDelivery[] = []
  for (const { connectionKey: webhook, connection } of asked) {
    const row = await storage.table('manualUpload').get(uploadId(id, webhook))
    // A webhook defined during the run was not asked about. It must not look as if nothing had been found.
    if (row) deliveries.push({ webhook, name: connection.name, data: openValues(dataKey, row) })
  }
  return deliveries
}
