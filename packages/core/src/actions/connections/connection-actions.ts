import type { Abortable } from '../../async/within-seconds.js'
import { PrivacyError } from '../../errors.js'
import type { Warning } from '../../model/clean-input.js'
import {
  type Connection,
  connectionTypes,
  type NewConnection,
  parseConnection,
  parseConnectionPatch,
} from '../../model/connection.js'
import type { ConnectionRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import type { Finding } from '../../rules/findings/finding.js'
import { similarKeys } from '../../rules/findings/misspelled-names.js'
import { slipIndex } from '../../rules/value/slip-index.js'
import type { ActionContext } from '../action-context.js'
import { type ConnectionTestResult, connectionTest } from '../connection-test.js'
import type { ManualWebhookOptions } from '../manual/manual-webhook-actions.js'
import { emptyPage, inOrder, type Page, readPage, searchTextOf } from '../paging.js'
import type { DatasetStore } from '../resources/dataset-actions.js'
import { overtaken, tookEffect, untilWritten } from '../until-written.js'
import { connectionDatasets } from './connection-datasets.js'
import { type ConnectionFilters, connectionCondition, connectionKinds } from './connection-filters.js'
import {
  connectionKeys,
  connectionNotFound,
  findConnection,
  needConnection,
  shownConnection,
} from './connection-rows.js'
import { connectionSecrets } from './connection-secrets.js'

/** The answer of every write of a connection. No answer holds secrets. */
export type WrittenConnection = Connection & {
  readonly findings: readonly Finding[]
  readonly warnings: readonly Warning[]
}

export interface SetSecretsOptions extends Abortable {
  /** True, the default: the secrets are tested once they are stored. */
  readonly verify?: boolean
  /** True: omitted members stay and null clears; else the secrets are replaced. */
  readonly merge?: boolean
}

type Mode = 'create' | 'put' | 'patch'

/** Links to external databases, their sealed secrets, their tests and the datasets behind them. */
export function connectionActions(
  context: ActionContext,
  datasetRows: DatasetStore,
  { released }: Partial<ManualWebhookOptions> = {},
) {
  const { storage, runtime, connectors, connectionChanged } = context
  const kinds = connectionKinds(connectors)
  const customTypes = kinds.slice(connectionTypes.length).map(({ type }) => type)
  const secrets = connectionSecrets(context)
  const runTest = connectionTest(context, secrets)
  const datasets = connectionDatasets(context, datasetRows)

  async function write(mode: Mode, input: unknown): Promise<WrittenConnection> {
    const { row, warnings, stored } = await untilWritten('connection', undefined, () => attempt(mode, input))
    if (stored && needsManualData(stored) && !needsManualData(row)) await released?.()
    return { ...shownConnection(row), findings: await findingsOf(row), warnings }
  }

  async function attempt(mode: Mode, input: unknown) {
    const read = mode === 'patch' ? parseConnectionPatch(input, customTypes) : parseConnection(input, customTypes)
    const stored = await findConnection(storage, read.value.key)
    if (stored && mode === 'create') {
      const message = `A connection with the key '${stored.key}' exists already: change it, or choose another key.`
      throw new PrivacyError('conflict', message, { kind: 'connection', id: stored.key })
    }
    const { value, warnings } = stored ? read : parseConnection(input, customTypes)
    const row = rowOf(value as NewConnection, mode, stored)
    await refuseTakenName(row)
    const table = storage.table('connection')
    const written = await tookEffect(() => (stored ? table.replace(row) : table.insert(row)))
    return written ? { row, warnings, stored } : undefined
  }

  function rowOf(value: NewConnection, mode: Mode, stored?: ConnectionRow): ConnectionRow {
    const now = runtime.now().toISOString()
    const { description: _, lastTestAt: __, lastTestSucceeded: ___, ...kept } = stored ?? { createdAt: now }
    const { description = mode === 'patch' ? stored?.description : undefined, ...members } = value
    const row = { ...kept, ...members }
    // Another kind of database has not been tested yet.
    const tested = stored && stored.connectionType === row.connectionType
    return {
      ...row,
      ...(description !== null && description !== undefined && { description }),
      ...(tested && stored.lastTestAt !== undefined && { lastTestAt: stored.lastTestAt }),
      ...(tested && stored.lastTestSucceeded !== undefined && { lastTestSucceeded: stored.lastTestSucceeded }),
      id: row.key,
      version: (stored?.version ?? 0) + 1,
      searchText: searchTextOf(row.key, row.name, description),
      updatedAt: now,
    }
  }

  /** The name of a manual webhook identifies it to people. */
  async function refuseTakenName({ key, name, connectionType }: ConnectionRow): Promise<void> {
    if (connectionType !== 'manual_webhook') return
    const where = { name: { equals: name }, connectionType: { equals: connectionType } }
    const other = (await storage.table('connection').find({ where })).find((row) => row.key !== key)
    if (!other) return
    const message = `The manual webhook '${other.key}' has the same name: choose another one.`
    throw new PrivacyError('conflict', message, { kind: 'connection', id: key, referrers: [other.key] })
  }

  async function findingsOf({ key, connectionType: type }: ConnectionRow): Promise<Finding[]> {
    const similar = similarKeys('connection', key, slipIndex(await connectionKeys(storage)))
    const manual = kinds.some((kind) => kind.type === type && kind.category === 'manual')
    if (manual || connectors.has(type)) return similar
    const message = `No connector for ${type} is registered, so '${key}' cannot be opened until one is passed in \`connectors\`.`
    return [...similar, { type: 'no_connector', severity: 'warning', loc: [key, 'connectionType'], message }]
  }

  async function test(key: string, interest: Abortable = {}): Promise<ConnectionTestResult> {
    return { msg: `The connection '${key}' was tested.`, ...(await runTest(key, interest)) }
  }

  return {
    create: (input: unknown) => write('create', input),
    put: (input: unknown) => write('put', input),
    patch: (input: unknown) => write('patch', input),
    get: async (key: string): Promise<Connection> => shownConnection(await needConnection(storage, key)),
    async list(filters: ConnectionFilters = {}): Promise<Page<Connection>> {
      const where = connectionCondition(filters, kinds)
      if (!where) return emptyPage(filters)
      const sorted = inOrder(storage.table('connection'), [{ field: 'name' }])
      return readPage(sorted, where, filters, shownConnection)
    },
    async remove(key: string): Promise<void> {
      await needConnection(storage, key)
      await refuseRuns(storage, key)
      await untilWritten('connection', key, async () => {
        const written = tookEffect(() => storage.transaction((within) => removeConnection(within, key)))
        return (await written) || undefined
      })
      connectionChanged(key)
      await released?.()
    },
    async setSecrets(
      key: string,
      input: unknown,
      { verify = true, merge = false, ...interest }: SetSecretsOptions = {},
    ): Promise<ConnectionTestResult> {
      await secrets.store(key, input, merge)
      connectionChanged(key)
      const msg = `The secrets of the connection '${key}' were stored.`
      return { msg, ...(verify ? await runTest(key, interest) : { testStatus: null, failureReason: null }) }
    },
    test,
    kinds: () => kinds,
    attachDataset: datasets.attach,
    detachDataset: datasets.detach,
    datasets: datasets.list,
    dataset: datasets.get,
  }
}

export type ConnectionActions = ReturnType<typeof connectionActions>

const needsManualData = ({ connectionType, disabled }: ConnectionRow) =>
  connectionType === 'manual_webhook' && !disabled

/**
 * Runs inside a transaction. It locks the connection first, so that a call that links to it or stores secrets for it
 * waits.
 */
async function removeConnection(storage: Storage, key: string): Promise<void> {
  if (!(await storage.table('connection').take(key))) throw connectionNotFound(key)
  await storage.table('connectionSecret').take(key)
  await storage.table('manualWebhook').take(key)
  const table = storage.table('dataset')
  for (const row of await table.find({ where: { connectionKey: { equals: key } } })) {
    const unlinked = await table.replace({ ...row, version: row.version + 1, connectionKey: null })
    if (!unlinked) throw overtaken('dataset', row.id)
  }
}

async function refuseRuns(storage: Storage, key: string): Promise<void> {
  const running = await storage.table('privacyRequest').find({ where: { status: { equals: 'in_processing' } } })
  const plans = await Promise.all(running.map(({ id }) => storage.table('requestPlan').get(id)))
  const users = plans.flatMap((row) => (row && usesConnection(row.plan, key) ? [row.id] : []))
  if (users.length === 0) return
  const message = `The connection '${key}' is in use by the privacy request ${users[0]}: wait until its run has ended, or cancel it.`
  throw new PrivacyError('conflict', message, { kind: 'connection', id: key, referrers: users })
}

function usesConnection(plan: unknown, key: string): boolean {
  const { collections = [] } = plan as { collections?: readonly { connectionKey?: string }[] }
  return collections.some(({ connectionKey }) => connectionKey === key)
}
