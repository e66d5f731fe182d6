import { createDataKey, openDataKey, openText, sealText } from '../../crypto/data-key.js'
import type { Identity } from '../../model/identity.js'
import type { RequestKeyRow } from '../../ports/rows.js'
import type { ActionContext } from '../action-context.js'
import { dataGone } from './move-request.js'

/** Seals the personal data of a request under a data key of its own. */
export async function sealPersonalData(
  { secrets, runtime }: ActionContext,
  id: string,
  identities: readonly Identity[],
  encryptionKey?: Uint8Array,
): Promise<{ readonly row: RequestKeyRow; readonly dataKey: Uint8Array }> {
  const { dataKey, sealedKey } = await createDataKey(secrets, runtime, id)
  const sealedIdentities = sealText(dataKey, runtime, id, JSON.stringify(identities))
  const keyText = encryptionKey && Buffer.from(encryptionKey).toString('base64')
  const kept = keyText !== undefined && { sealedEncryptionKey: sealText(dataKey, runtime, keyLabel(id), keyText) }
  return { row: { id, version: 1, sealedKey, sealedIdentities, ...kept }, dataKey }
}

const keyLabel = (id: string) => `${id}/encryption-key`

export interface PersonalData {
  readonly dataKey: Uint8Array
  readonly identities: readonly Identity[]
  /** The caller's key for the package: 16 or 32 bytes. */
  readonly encryptionKey?: Uint8Array
}

/** The personal data of a request. Rejects with `gone` once it was destroyed. */
export async function openPersonalData(context: ActionContext, id: string): Promise<PersonalData> {
  return openRequestKey(context, id, await context.storage.table('requestKey').get(id))
}

/** The same, given what is stored of it. */
export async function openRequestKey(
  { secrets }: Pick<ActionContext, 'secrets'>,
  id: string,
  row: RequestKeyRow | undefined,
): Promise<PersonalData> {
  if (!row) throw dataGone(id)
  const dataKey = await openDataKey(secrets, id, row.sealedKey)
  const { sealedEncryptionKey: sealed } = row
  const encryptionKey = sealed !== undefined && Buffer.from(openText(dataKey, keyLabel(id), sealed), 'base64')
  const identities = JSON.parse(openText(dataKey, id, row.sealedIdentities))
  return { dataKey, identities, ...(encryptionKey && { encryptionKey }) }
}
