import { PrivacyError } from '../../errors.js'
import type { Warning } from '../../model/clean-input.js'
import type { Connection } from '../../model/connection.js'
import { type ManualWebhook, type ManualWebhookDefinition, parseManualWebhook } from '../../model/manual-webhook.js'
import type { Parsed } from '../../model/parse-input.js'
import type { ManualWebhookRow } from '../../ports/manual-rows.js'
import type { ConnectionRow } from '../../ports/rows.js'
import type { Query, Storage } from '../../ports/storage.js'
import type { ActionContext } from '../action-context.js'
import { holdConnection, needConnection, shownConnection } from '../connections/connection-rows.js'
import { overtaken, tookEffect, untilWritten } from '../until-written.js'

/** A manual webhook with the connection it belongs to. */
export interface DescribedManualWebhook extends ManualWebhook {
  readonly connection: Connection
}

export type WrittenManualWebhook = DescribedManualWebhook & { readonly warnings: readonly Warning[] }

export interface ManualWebhookOptions {
  /** Called after one was removed or disabled: requests that waited for it alone continue. */
  readonly released: () => Promise<unknown>
}

/**
 * Data that people look up for access requests where no connector can: one definition for each connection of that type.
 */
export function manualWebhookActions(context: ActionContext, { released }: ManualWebhookOptions) {
  const { storage, runtime } = context
  const table = storage.table('manualWebhook')

  async function write(mode: 'create' | 'patch', key: string, input: unknown): Promise<WrittenManualWebhook> {
    await needWebhookConnection(storage, key)
    const { value, warnings }: Parsed<ManualWebhookDefinition> = parseManualWebhook(input)
    const { row, connection } = await untilWritten('manual webhook', key, async () => {
      const connection = await needWebhookConnection(storage, key)
      const stored = await table.get(key)
      if (stored && mode === 'create') {
        const message = `The connection '${key}' has a manual webhook already: change it with PATCH.`
        throw new PrivacyError('conflict', message, { kind: 'manual webhook', id: key })
      }
      const now = runtime.now().toISOString()
      const version = (stored?.version ?? 0) + 1
      const row = {
        id: key,
        version,
        connectionKey: key,
        ...value,
        createdAt: stored?.createdAt ?? now,
        updatedAt: now,
      }
      const written = await tookEffect(() =>
        storage.transaction(async (within) => {
          if (!(await holdConnection(within, key))) throw overtaken('manual webhook', key)
          if (!stored) await within.table('manualWebhook').insert(row)
          else if (!(await within.table('manualWebhook').replace(row))) throw overtaken('manual webhook', key)
        }),
      )
      return written ? { row, connection } : undefined
    })
    return { ...described(row, connection), warnings }
  }

  return {
    create: (key: string, input: unknown) => write('create', key, input),
    patch: (key: string, input: unknown) => write('patch', key, input),
    get: (key: string) => needManualWebhook(storage, key),
    list: (): Promise<readonly DescribedManualWebhook[]> => enabledWebhooks(storage),
    async remove(key: string): Promise<void> {
      await needWebhookConnection(storage, key)
      if (!(await table.take(key))) throw notDefined(key)
      await released()
    },
  }
}

const described = (
  { connectionKey, fields, createdAt, updatedAt }: ManualWebhookRow,
  connection: ConnectionRow,
): DescribedManualWebhook => ({
  connectionKey,
  fields,
  createdAt,
  updatedAt,
  connection: shownConnection(connection),
})

/** The webhooks that every access request asks for. */
export async function enabledWebhooks(storage: Storage): Promise<readonly DescribedManualWebhook[]> {
  return webhooksBehind(storage, await storage.table('connection').find(enabledConnections))
}

/** The query for connections that may have such a webhook. */
export const enabledConnections = {
  where: { connectionType: { equals: 'manual_webhook' }, disabled: { equals: false } },
} as const satisfies Query<'connection'>

/** Their webhooks. */
export async function webhooksBehind(
  storage: Storage,
  connections: readonly ConnectionRow[],
): Promise<readonly DescribedManualWebhook[]> {
  if (connections.length === 0) return []
  const ids = connections.map(({ id }) => id)
  const rows = new Map(
    (await storage.table('manualWebhook').find({ where: { id: { in: ids } } })).map((row) => [row.id, row]),
  )
  return connections.flatMap((connection) => {
    const row = rows.get(connection.id)
    return row ? [described(row, connection)] : []
  })
}

/** Throws `not_found` for an unknown connection, or one that asks for nothing. */
export async function needManualWebhook(storage: Storage, key: string): Promise<DescribedManualWebhook> {
  const connection = await needWebhookConnection(storage, key)
  const row = await storage.table('manualWebhook').get(key)
  if (!row) throw notDefined(key)
  return described(row, connection)
}

async function needWebhookConnection(storage: Storage, key: string): Promise<ConnectionRow> {
  const connection = await needConnection(storage, key)
  if (connection.connectionType === 'manual_webhook') return connection
  const message = `The connection '${key}' is of type ${connection.connectionType}: only one of type manual_webhook asks people for data.`
  throw new PrivacyError('unsupported', message, { feature: 'manual webhook' })
}

function notDefined(key: string): PrivacyError<'not_found'> {
  const message = `The connection '${key}' has no manual webhook yet: define its fields first.`
  return new PrivacyError('not_found', message, { kind: 'manual webhook', id: key })
}
