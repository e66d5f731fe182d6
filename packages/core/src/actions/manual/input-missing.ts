import { fitsFields } from '../../model/parse-manual-upload.js'
import type { Policy } from '../../model/policy.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import { needsManualData } from '../../rules/policy/targets.js'
import { type DescribedManualWebhook, enabledWebhooks } from './manual-webhook-actions.js'

/**
 * Keys of the manual webhooks whose upload a request lacks, or whose upload does not fit them any more. None where the
 * policy does not ask for access. `asked`: the webhooks, where they were read already. For a request that is not stored yet: all enabled webhooks.
 */
export async function inputMissing(
  storage: Storage,
  { id }: Pick<PrivacyRequestRow, 'id'>,
  applied: Policy,
  asked?: readonly DescribedManualWebhook[],
): Promise<readonly string[]> {
  if (!needsManualData(applied)) return []
  const webhooks = asked ?? (await enabledWebhooks(storage))
  if (webhooks.length === 0) return []
  const rows = await storage.table('manualUpload').find({ where: { requestId: { equals: id } } })
  const labels = new Map(rows.map((row) => [row.id, row.labels]))
  return webhooks.flatMap(({ connectionKey, fields }) => {
    const given = labels.get(uploadId(id, connectionKey))
    return given !== undefined && fitsFields(given, fields) ? [] : [connectionKey]
  })
}

export const uploadId = (requestId: string, key: string) => `${requestId}/${key}`
