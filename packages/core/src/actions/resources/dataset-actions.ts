import { withinSeconds } from '../../async/within-seconds.js'
import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { Catalogue } from '../../model/catalogue.js'
import type { Warning } from '../../model/clean-input.js'
import { type Dataset, parseDataset } from '../../model/dataset.js'
import { readLegacyDataset } from '../../model/read-legacy-dataset.js'
import type { DatasetRow } from '../../ports/rows.js'
import { type DatasetNotices, datasetNotices } from '../../rules/findings/dataset-notices.js'
import type { Finding } from '../../rules/findings/finding.js'
import { datasetLinks } from '../../rules/findings/resource-links.js'
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
      await refuseUnknownKeys(context, 'dataset', datasetLinks(document))
      await evaluated.refuse({ kind: 'dataset', document })
      return document
    },
    notices: noticesOfWrite,
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
  async function noticesOfWrite(row: DatasetRow): Promise<DatasetNotices> {
    const { findings, open } = await noticesOf(row)
    if (open.references.length === 0) return { findings, open }
    const shownOpen = canonicalHash([row.document, row.connectionKey, open.references])
    if (row.shownOpen === shownOpen) return { findings: findings.filter(({ type }) => type !== 'open_reference'), open }
    // The write that came first reports them.
    await tookEffect(() => storage.table('dataset').replace({ ...row, version: row.version + 1, shownOpen }))
    return { findings, open }
  }

  /** About a row as it is stored or would be stored, among all stored datasets. */
  async function noticesOf(row: DatasetRow): Promise<DatasetNotices> {
    const stored = (await storage.table('dataset').find()).filter(({ id }) => id !== row.id)
    const [described, known, systems] = await Promise.all([
      describe([...stored, row]),
      knownKeys(storage, datasetLinks(row.document)),
      storage.table('system').find(),
    ])
    const own = described.at(-1) as DescribedDataset
    const live = await liveSchema(own)
    const { findings, open } = datasetNotices(row.id, {
      described: [...described.slice(0, -1), { ...own, ...(live.catalogue && { catalogue: live.catalogue }) }],
      systems: systems.map(({ document }) => document),
      known,
      inferIdentities: context.options.inferIdentities ?? true,
      inferOwners: context.options.inferOwners ?? true,
    })
    const violations = await evaluated.findings({ kind: 'dataset', document: row.document })
    return { findings: [...findings, ...live.findings, ...violations], open }
  }

  /** A database that does not answer must not prevent a description from being written. */
  async function liveSchema({ dataset, connection }: DescribedDataset) {
    const none: { catalogue?: Catalogue; findings: Finding[] } = { findings: [] }
    const read = context.catalogue
    if (!read || !connection || connection.disabled) return none
    try {
      const catalogue = await withinSeconds(context.options.connectionTestSeconds, () => read(connection.key))
      return { ...none, ...(catalogue && { catalogue }) }
    } catch {
      const key = dataset.service_key
      const message = `The live schema behind the dataset '${key}' could not be read, so its fields were not compared with it: test the connection '${connection.key}'.`
      return { findings: [{ type: 'live_schema_unknown', severity: 'info', loc: [key], message } satisfies Finding] }
    }
  }

  return { ...rows, noticesOf }
}

export type DatasetStore = ReturnType<typeof datasetStore>

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
    findings: async (key: string): Promise<readonly Finding[]> => (await noticesOf(await need(key))).findings,
    async validate(input: unknown, { connectionKey }: { connectionKey?: string } = {}): Promise<CheckedDataset> {
      const { row, warnings } = await draft('put', input)
      const linked = connectionKey === undefined ? row : { ...row, connectionKey }
      return { ...row.document, ...(await noticesOf(linked)), warnings }
    },
  }
}
