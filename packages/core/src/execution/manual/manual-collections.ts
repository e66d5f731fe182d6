import { createHmac } from 'node:crypto'
import type { ActionContext } from '../../actions/action-context.js'
import { tookEffect } from '../../actions/until-written.js'
import { openText, sealText } from '../../crypto/data-key.js'
import { PrivacyError } from '../../errors.js'
import type { ActionNeeded } from '../../model/privacy-request.js'
import type { CountRows, Read, Row } from '../../ports/connector.js'
import type { ManualInputRow } from '../../ports/manual-rows.js'
import type { ManualRow } from '../../rules/manual/read-manual-rows.js'
import type { OpenConnection } from '../connect/open-connections.js'
import type { Lease } from '../run/hold-lease.js'
import { erasureAskedOf, erasureNeededOf } from './ask-to-erase.js'
import { InputNeeded } from './input-needed.js'
import { actionNeededOf, askOf, askText, lookUps, type ManualAsk, manualRowReader } from './manual-ask.js'

/** People cannot look up more values by hand. */
const maxLookUps = 10_000

const locatorsLabel = (id: string) => `${id}/locators`
const rowsLabel = (id: string) => `${id}/rows`

export interface ManualCollections {
  /** A connection that reads one manual collection: the rows that people gave for this read, or `InputNeeded`. */
  connection(key: string, address: string): OpenConnection
  /** The actions that people have to take for an input. */
  actionNeeded(input: string): Promise<readonly ActionNeeded[]>
}

/**
 * Collections without a database (docs/manual-data.md). People are asked for the rows once for each read of a run, and
 * the run reads these like any other rows. They are stored sealed with the request, so that neither a retry nor another
 * process asks again.
 */
export function manualCollections(options: {
  readonly context: ActionContext
  readonly requestId: string
  readonly dataKey: Uint8Array
  readonly write: Lease['write']
}): ManualCollections {
  const { context, requestId, dataKey, write } = options
  const table = context.storage.table('manualInput')

  async function rowsFor(address: string, read: Read): Promise<readonly Row[]> {
    const ask = askOf(read)
    const text = askText(ask)
    const hash = createHmac('sha256', dataKey).update(text).digest('base64url')
    const id = `${requestId}/${address}/${hash}`
    const stored = await table.get(id)
    if (stored?.sealedRows !== undefined) {
      const given = JSON.parse(openText(dataKey, rowsLabel(id), stored.sealedRows)) as ManualRow[]
      return given.map(manualRowReader(ask).read)
    }
    if (lookUps(ask) > maxLookUps) {
      const message = `People would have to look up rows of '${address}' by ${lookUps(ask)} values, more than the limit of ${maxLookUps}: set 'skip_processing' on it, or remove the reference that leads there.`
      throw new PrivacyError('unsupported', message, { feature: 'manual collection' })
    }
    if (!stored) {
      const sealedLocators = sealText(dataKey, context.runtime, locatorsLabel(id), text)
      const row = { id, version: 1, requestId, collection: address, sealedLocators }
      await tookEffect(() => write((within) => within.table('manualInput').insert(row)))
    }
    throw new InputNeeded(address, id)
  }

  return {
    async actionNeeded(input) {
      const stored = await table.get(input)
      return stored ? neededOf(stored, dataKey) : []
    },
    connection(key, address) {
      const connection = {
        concurrency: 1,
        async ping() {},
        describe: async () => ({ collections: [] }),
        async *read(read: Read) {
          yield await rowsFor(address, read)
        },
        // People are not asked for rows that match in part only.
        count: async (counts: readonly CountRows[]) => counts.map(() => 0),
        async close() {},
      }
      return {
        key,
        connection,
        connector: {
          type: 'manual',
          category: 'database',
          capabilities: { maxKeys: Number.MAX_SAFE_INTEGER, nestedFields: true },
          parseSecrets: () => ({}),
          connect: async () => connection,
        },
        catalogue: connection.describe,
        permit: async () => ({ [Symbol.dispose]() {} }),
      }
    },
  }
}

/** The actions that people have to take, to look rows up or to erase them. */
export function neededOf(row: ManualInputRow, dataKey: Uint8Array): readonly ActionNeeded[] {
  if (row.erasingSince !== undefined) return erasureNeededOf(erasureAskedOf(row, dataKey))
  return actionNeededOf(askedOf(row, dataKey))
}

/** The ask of a stored input. */
export function askedOf({ id, sealedLocators }: ManualInputRow, dataKey: Uint8Array): ManualAsk {
  return JSON.parse(openText(dataKey, locatorsLabel(id), sealedLocators))
}

/** The stored input with the rows that people found. */
export function withManualRows(
  row: ManualInputRow,
  given: readonly ManualRow[],
  dataKey: Uint8Array,
  runtime: ActionContext['runtime'],
): ManualInputRow {
  const sealedRows = sealText(dataKey, runtime, rowsLabel(row.id), JSON.stringify(given))
  return { ...row, version: row.version + 1, sealedRows }
}
