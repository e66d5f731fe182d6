import { createHmac } from 'node:crypto'
import type { ActionContext } from '../../actions/action-context.js'
import { tookEffect } from '../../actions/until-written.js'
import { openText, sealText } from '../../crypto/data-key.js'
import type { ActionNeeded } from '../../model/privacy-request.js'
import type { ManualInputRow } from '../../ports/manual-rows.js'
import type { ManualUpdate } from '../../rules/manual/manual-update.js'
import type { Lease } from '../run/hold-lease.js'
import { InputNeeded } from './input-needed.js'
import { actionNeededOf, type ManualAsk } from './manual-ask.js'

/** Rows of a manual collection that a person has to erase. Rows with the same new values are one part. */
export interface ManualErasureAsk {
  /** The number of rows in all parts. */
  readonly rows: number
  readonly parts: readonly { readonly update: ManualUpdate | null; readonly found: ManualAsk }[]
}

/** The erasure as the person who did it reports it. */
export interface ErasedByHand {
  readonly rowCount: number
  readonly startedAt: string
  readonly finishedAt: string
}

/**
 * Asks people once to erase rows. Resolves to their report, and to `InputNeeded` until they have given it. With `held`, nobody
 * is asked who was not asked before.
 */
export type AskToErase = (
  address: string,
  ask: ManualErasureAsk,
  options: { readonly held: boolean },
) => Promise<ErasedByHand | InputNeeded>

/** Stores what was asked sealed with the request, so that neither a retry nor another process asks again. */
export function askToErase(options: {
  readonly context: Pick<ActionContext, 'storage' | 'runtime'>
  readonly requestId: string
  readonly dataKey: Uint8Array
  readonly write: Lease['write']
}): AskToErase {
  const { context, requestId, dataKey, write } = options
  return async (address, ask, { held }) => {
    const text = JSON.stringify(ask, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner))
    const hash = createHmac('sha256', dataKey).update(text).digest('base64url')
    const id = `${requestId}/${address}/erase/${hash}`
    const stored = await context.storage.table('manualInput').get(id)
    if (stored?.erased) {
      const { rowCount, at } = stored.erased
      return { rowCount, startedAt: stored.erasingSince ?? at, finishedAt: at }
    }
    if (!stored && !held) {
      const sealedLocators = sealText(dataKey, context.runtime, locatorsLabel(id), text)
      const erasingSince = context.runtime.now().toISOString()
      const row = { id, version: 1, requestId, collection: address, sealedLocators, erasingSince }
      await tookEffect(() => write((within) => within.table('manualInput').insert(row)))
    }
    return new InputNeeded(address, id)
  }
}

const locatorsLabel = (id: string) => `${id}/locators`

/** The rows that a stored input asks people to erase. */
export function erasureAskedOf({ id, sealedLocators }: ManualInputRow, dataKey: Uint8Array): ManualErasureAsk {
  return JSON.parse(openText(dataKey, locatorsLabel(id), sealedLocators))
}

/** The actions that people have to take: which rows they erase, and to which values. */
export function erasureNeededOf({ parts }: ManualErasureAsk): ActionNeeded[] {
  return parts.flatMap(({ update, found }) => actionNeededOf(found).map((each) => ({ ...each, get: null, update })))
}
