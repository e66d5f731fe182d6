import { breather } from '../../async/breather.js'
import { inTurns } from '../../async/in-turns.js'
import { semaphore } from '../../async/semaphore.js'
import { withinSeconds } from '../../async/within-seconds.js'
import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { Catalogue } from '../../model/catalogue.js'
import type { Warning } from '../../model/clean-input.js'
import { type Dataset, parseDataset } from '../../model/dataset.js'
import { readLegacyDataset } from '../../model/read-legacy-dataset.js'
import type { DatasetRow } from '../../ports/rows.js'
import { type DatasetNotices, datasetNotices } from '../../rules/findings/dataset-notices.js'
import type { Finding } from '../../rules/findings/finding.js'
import { datasetLinks, type ResourceLink } from '../../rules/findings/resource-links.js'
import type { DescribedDataset } from '../../rules/plan/dataset-graph.js'
import type { ActionContext } from '../action-context.js'
import { evaluatedWrites } from '../evaluations/evaluated-writes.js'
import { tookEffect } from '../until-written.js'
import { findReferrers } from './find-referrers.js'
import { knownKeys, refuseUnknownKeys } from './known-keys.js'
import { resources, type Stored, type Written } from './resources.js'

/** The members of a dataset's answers besides its document. */
export interface DatasetLink {
  /** The connection behind which the data lies; null until linked. */
  readonly connection_key: string | null
}

export type StoredDataset = Stored<Dataset & DatasetLink>
export type WrittenDataset = Written<Dataset & DatasetLink, DatasetNotices>

/** The answer of `validate`: the dataset as it would be stored. */
export type CheckedDataset = Dataset & DatasetNotices & { readonly warnings: readonly Warning[] }

/** The most databases that are asked for their schemas at once. */
const mostAskedAtOnce = 8

/** Datasets as other actions use them: their rows, links to connections, and findings across all datasets. */
export function datasetStore(context: ActionContext) {
  const { storage } = context
  const evaluated = evaluatedWrites(context)
  const rows = resources<Dataset, DatasetRow, DatasetLink, DatasetNotices>(context, {
    what: 'dataset',
    table: (storage) => storage.table('dataset'),
    rename: readLegacyDataset,
    read: parseDataset,
    blank: { connectionKey: null },
    extra: (row) => ({ connection_key: row.connectionKey }),
    complete: async (document) => {
      await refuseUnknownKeys(context, 'dataset', () => datasetLinks(document))
      await evaluated.refuse({ kind: 'dataset', document })
      return document
    },
    notices: noticesOfWrites,
    referrers: (key) => findReferrers(storage, 'dataset', key),
  })

  /** Every dataset, with the connection it is linked to, if that exists. */
  async function describe(datasets: readonly DatasetRow[]): Promise<DescribedDataset[]> {
    const connections = new Map((await storage.table('connection').find()).map((row) => [row.id, row]))
    return datasets.map(({ document, connectionKey }) => {
      const connection = connectionKey === null ? undefined : connections.get(connectionKey)
      if (!connection) return { dataset: document }
      const { id: key, disabled, connectionType } = connection
      const wholeColumns = context.connectors.get(connectionType)?.capabilities.nestedFields === false
      return { dataset: document, connection: { key, disabled, wholeColumns } }
    })
  }

  /**
   * Open references are a finding once, and again when the dataset or its open references have changed; the list `open`
   * is always whole.
   */
  async function noticesOfWrites(rows: readonly DatasetRow[]): Promise<readonly DatasetNotices[]> {
    const breathe = breather()
    const told: DatasetNotices[] = []
    for (const [at, { findings, open }] of (await noticesOf(rows)).entries()) {
      const row = rows[at] as DatasetRow
      const shownOpen = open.references.length > 0 && canonicalHash([row.document, row.connectionKey, open.references])
      const isTold = row.shownOpen === shownOpen
      told.push({ findings: isTold ? findings.filter(({ type }) => type !== 'open_reference') : findings, open })
      // The write that came first reports them.
      if (shownOpen && !isTold)
        await tookEffect(() => storage.table('dataset').replace({ ...row, version: row.version + 1, shownOpen }))
      await breathe()
    }
    return told
  }

  /** About rows as they are stored or would be stored, among all stored datasets. */
  async function noticesOf(rows: readonly DatasetRow[]): Promise<readonly DatasetNotices[]> {
    const keys = new Set(rows.map(({ id }) => id))
    const stored = (await storage.table('dataset').find()).filter(({ id }) => !keys.has(id))
    const breathe = breather()
    const links: ResourceLink[] = []
    for (const { document } of rows) {
      for (const link of datasetLinks(document)) links.push(link)
      await breathe()
    }
    const [others, own, known, systems] = await Promise.all([
      describe(stored),
      describe(rows),
      knownKeys(storage, links),
      storage.table('system').find(),
    ])
    const live = await liveSchemas(own)
    const withCatalogue = (each: DescribedDataset): DescribedDataset => {
      const catalogue = live(each)
      return catalogue === undefined || catalogue === 'unknown' ? each : { ...each, catalogue }
    }
    const among = await inTurns(
      datasetNotices({
        described: [...others, ...own.map(withCatalogue)],
        systems: systems.map(({ document }) => document),
        known,
        inferIdentities: context.options.inferIdentities ?? true,
        inferOwners: context.options.inferOwners ?? true,
      }),
    )
    const noticed: DatasetNotices[] = []
    for (const each of own) {
      const { findings, open } = among(each.dataset.service_key)
      const isUnknown = live(each) === 'unknown'
      const violations = await evaluated.findings({ kind: 'dataset', document: each.dataset })
      noticed.push({ findings: [...findings, ...(isUnknown ? [schemaUnknown(each)] : []), ...violations], open })
      await breathe()
    }
    return noticed
  }

  /**
   * Says what is known of the live schema behind a dataset. Each connection is asked once. A database that does not answer
   * must not prevent a description from being written.
   */
  async function liveSchemas(described: readonly DescribedDataset[]) {
    const read = context.catalogue
    const asked = described.flatMap(({ connection }) => (connection && !connection.disabled ? [connection.key] : []))
    const permits = semaphore(mostAskedAtOnce)
    const answers = new Map<string, Catalogue | undefined | 'unknown'>()
    const ask = async (key: string) => {
      const permit = await permits.acquire()
      try {
        const catalogue = read && (await withinSeconds(context.options.connectionTestSeconds, () => read(key)))
        answers.set(key, catalogue)
      } catch {
        answers.set(key, 'unknown')
      } finally {
        permit[Symbol.dispose]()
      }
    }
    await Promise.all([...new Set(asked)].map(ask))
    return ({ connection }: DescribedDataset) => connection && answers.get(connection.key)
  }

  return { ...rows, noticesOf }
}

function schemaUnknown({ dataset: { service_key: key }, connection }: DescribedDataset): Finding {
  const message = `The live schema behind the dataset '${key}' could not be read, so its fields were not compared with it: test the connection '${connection?.key}'.`
  return { type: 'live_schema_unknown', severity: 'info', loc: [key], message }
}

export type DatasetStore = ReturnType<typeof datasetStore>

/** About one row. */
async function noticesOfOne(noticesOf: DatasetStore['noticesOf'], row: DatasetRow): Promise<DatasetNotices> {
  const [notices] = await noticesOf([row])
  return notices as DatasetNotices
}

/** Described schemas; every write returns findings about them. */
export function datasetActions({
  create,
  put,
  replace,
  patch,
  get,
  list,
  remove,
  need,
  draft,
  noticesOf,
}: DatasetStore) {
  return {
    create,
    put,
    replace,
    patch,
    get,
    list,
    remove,
    findings: async (key: string): Promise<readonly Finding[]> =>
      (await noticesOfOne(noticesOf, await need(key))).findings,
    async validate(input: unknown, { connectionKey }: { connectionKey?: string } = {}): Promise<CheckedDataset> {
      const { row, warnings } = await draft('put', input)
      const linked = connectionKey === undefined ? row : { ...row, connectionKey }
      return { ...row.document, ...(await noticesOfOne(noticesOf, linked)), warnings }
    },
  }
}
