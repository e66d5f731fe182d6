import { breather } from '../../async/breather.js'
import { inTurns } from '../../async/in-turns.js'
import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { Warning } from '../../model/clean-input.js'
import { type Dataset, parseDataset } from '../../model/dataset.js'
import { readLegacyDataset } from '../../model/read-legacy-dataset.js'
import type { DatasetRow } from '../../ports/rows.js'
import { type DatasetNotices, datasetNotices } from '../../rules/findings/dataset-notices.js'
import type { Finding } from '../../rules/findings/finding.js'
import { datasetLinks, type ResourceLink } from '../../rules/findings/resource-links.js'
import type { DescriptionGap } from '../../rules/gaps/description-gap.js'
import { descriptionGaps } from '../../rules/gaps/description-gaps.js'
import type { DescribedDataset } from '../../rules/plan/dataset-graph.js'
import type { ActionContext } from '../action-context.js'
import { evaluatedWrites } from '../evaluations/evaluated-writes.js'
import { tookEffect } from '../until-written.js'
import { describedDatasets } from './described-datasets.js'
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

/** What descriptions leave out of their databases, as far as it leads to a person. */
export interface DatasetCoverage {
  readonly gaps: readonly DescriptionGap[]
  /** Datasets that could not be compared with a database, and why. */
  readonly unread: readonly UnreadDataset[]
}

export interface UnreadDataset {
  readonly dataset: string
  /**
   * `unlinked`: it names no connection. `disabled`: its connection is. `unreadable`: its database did not tell its schema.
   * `schemas`: the database has other schemas, and no connection reads them.
   */
  readonly reason: 'unlinked' | 'disabled' | 'unreadable' | 'schemas'
  readonly message: string
}

/** The answer of `validate`: the dataset as it would be stored. */
export type CheckedDataset = Dataset & DatasetNotices & { readonly warnings: readonly Warning[] }

/** Datasets as other actions use them: their rows, links to connections, and findings across all datasets. */
export function datasetStore(context: ActionContext) {
  const { storage } = context
  const evaluated = evaluatedWrites(context)
  const sources = describedDatasets(context)
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
      sources.describe(stored),
      sources.describe(rows),
      knownKeys(storage, links),
      storage.table('system').find(),
    ])
    const live = await sources.liveSchemas(own)
    const among = await inTurns(
      datasetNotices({
        described: [...others, ...own.map(live.withCatalogue)],
        systems: systems.map(({ document }) => document),
        known,
        inferIdentities: context.options.inferIdentities ?? true,
        inferOwners: context.options.inferOwners ?? true,
      }),
    )
    const violations = await evaluated.findings(own.map(({ dataset: document }) => ({ kind: 'dataset', document })))
    const noticed: DatasetNotices[] = []
    for (const [at, each] of own.entries()) {
      const { findings, open } = among(each.dataset.service_key)
      const why = live.whyUnread(each)
      const more = [...(why === undefined ? [] : [schemaUnknown(each, why)]), ...(violations[at] ?? [])]
      noticed.push({ findings: [...findings, ...more], open })
      await breathe()
    }
    return noticed
  }

  /** What all descriptions leave out of their databases. */
  async function coverage(): Promise<DatasetCoverage> {
    const described = await sources.describe(await storage.table('dataset').find())
    // A migration may have run just before.
    const live = await sources.liveSchemas(described, { fresh: true })
    const withCatalogues = described.map(live.withCatalogue)
    const gaps = await inTurns(
      descriptionGaps({
        described: withCatalogues,
        today: context.runtime.now().toISOString().slice(0, 10),
        inferIdentities: context.options.inferIdentities ?? true,
        inferOwners: context.options.inferOwners ?? true,
      }),
    )
    return {
      gaps,
      unread: [...described.flatMap((each) => unread(each, live.whyUnread(each))), ...unreadSchemas(withCatalogues)],
    }
  }

  return { ...rows, noticesOf, coverage }
}

/** A dataset that could not be compared with a database. Where people look the rows up, there is none. */
function unread(
  { dataset: { service_key: dataset }, connection }: DescribedDataset,
  why: string | undefined,
): UnreadDataset[] {
  if (!connection) {
    const message = `The dataset '${dataset}' is linked to no connection, so no database is compared with it: name one in its 'connection_key' if there is one.`
    return [{ dataset, reason: 'unlinked', message }]
  }
  if (connection.disabled) {
    const message = `The connection '${connection.key}' of the dataset '${dataset}' is disabled: enable it.`
    return [{ dataset, reason: 'disabled', message }]
  }
  if (why === undefined) return []
  const message = `The live schema behind the dataset '${dataset}' could not be read over the connection '${connection.key}': ${why}`
  return [{ dataset, reason: 'unreadable', message }]
}

/** The schemas beside those that are read, once for each connection. They may be another database's by the same name. */
function unreadSchemas(described: readonly DescribedDataset[]): UnreadDataset[] {
  const read = new Set(described.flatMap(({ catalogue }) => catalogue?.schema ?? []))
  const told = new Set<string>()
  return described.flatMap(({ dataset: { service_key: dataset }, connection, catalogue }) => {
    const others = catalogue?.otherSchemas?.filter((schema) => !read.has(schema)) ?? []
    if (!connection || others.length === 0 || told.has(connection.key)) return []
    told.add(connection.key)
    const message = `The connection '${connection.key}' reads the schema '${catalogue?.schema}' alone, and its database has tables or views in the schemas ${others.map((name) => `'${name}'`).join(', ')}: add a connection, with that db_schema, for each of these that holds personal data.`
    return [{ dataset, reason: 'schemas', message }]
  })
}

function schemaUnknown({ dataset: { service_key: key }, connection }: DescribedDataset, why: string): Finding {
  const message = `The live schema behind the dataset '${key}' could not be read over the connection '${connection?.key}', so its fields were not compared with it: ${why}`
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
  coverage,
}: DatasetStore) {
  return {
    create,
    put,
    replace,
    patch,
    get,
    list,
    remove,
    coverage,
    findings: async (key: string): Promise<readonly Finding[]> =>
      (await noticesOfOne(noticesOf, await need(key))).findings,
    async validate(input: unknown, { connectionKey }: { connectionKey?: string } = {}): Promise<CheckedDataset> {
      const { row, warnings } = await draft('put', input)
      const linked = connectionKey === undefined ? row : { ...row, connectionKey }
      return { ...row.document, ...(await noticesOfOne(noticesOf, linked)), warnings }
    },
  }
}
