import { breather } from '../../async/breather.js'
import {
  type DataMap,
  type DataMapExportOptions,
  type DataMapFile,
  type DataMapFormat,
  type DataMapOptions,
  type DataMapView,
  parseDataMapExport,
  parseDataMapOptions,
} from '../../model/data-map.js'
import { defaultTaxonomy } from '../../model/default-taxonomy.js'
import { defaultOrganization } from '../../model/organization.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Storage } from '../../ports/storage.js'
import { cellText } from '../../results/cell-text.js'
import { csvLine } from '../../results/csv/csv-line.js'
import { mostInCell, workbook } from '../../results/xlsx/workbook.js'
import { dataMap } from '../../rules/datamap/data-map.js'
import { type DatasetFacts, datasetFacts } from '../../rules/datamap/dataset-facts.js'
import type { MappedDocuments } from '../../rules/datamap/map-entry.js'
import { receiversAmong } from '../../rules/datamap/receivers-among.js'
import type { ActionContext } from '../action-context.js'
import { findAll } from '../find-all.js'
import { keyNotFound } from '../key-not-found.js'
import { storedDatasets } from '../resources/stored-datasets.js'

/** What is held, where, for what, and what happens to it, as tables. */
export function dataMapActions({ storage }: Pick<ActionContext, 'storage'>) {
  async function read(view: DataMapView, organization: string | undefined): Promise<DataMap> {
    return dataMap(view, await mappedDocuments(storage, organization))
  }

  return {
    async read(options: DataMapOptions = {}): Promise<DataMap> {
      const { view, organization } = parseDataMapOptions(options)
      return read(view, organization)
    },

    async export(options: DataMapExportOptions = {}): Promise<DataMapFile> {
      const { view, organization, format } = parseDataMapExport(options)
      const { name, contentType, write } = formats[format]
      const map = await read(view, organization)
      return { name: `${names[view]}.${name}`, contentType, bytes: await write(map) }
    },
  }
}

const names: Readonly<Record<DataMapView, string>> = {
  map: 'data-map',
  controller: 'record-of-processing-controller',
  processor: 'record-of-processing-processor',
}

interface Format {
  readonly name: string
  readonly contentType: string
  write(map: DataMap): Promise<Uint8Array>
}

const formats: Readonly<Record<DataMapFormat, Format>> = {
  json: {
    name: 'json',
    contentType: 'application/json',
    write: async ({ view, rows, blanks }) => Buffer.from(`${JSON.stringify({ view, rows, blanks }, null, 2)}\n`),
  },
  csv: {
    name: 'csv',
    contentType: 'text/csv; charset=utf-8',
    async write({ columns, rows }) {
      const breathe = breather()
      const lines = [csvLine(columns.map(({ heading }) => heading))]
      for (const row of rows) {
        lines.push(csvLine(columns.map(({ key }) => cellText(row[key] ?? null) || null)))
        await breathe()
      }
      return Buffer.from(lines.join(''))
    },
  },
  xlsx: {
    name: 'xlsx',
    contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    async write({ view, columns, rows }) {
      refuseLong(columns, rows)
      return workbook({
        name: view === 'map' ? 'Data map' : 'Record of processing',
        head: columns.map(({ heading }) => heading),
        lines: rows.map((row) => columns.map(({ key }) => row[key] ?? null)),
      })
    },
  },
}

/** Throws `invalid_input` naming each cell that a workbook cannot hold, since a cut one would say less than was declared. */
function refuseLong(columns: DataMap['columns'], rows: DataMap['rows']): void {
  const issues = rows.flatMap((row) =>
    columns.flatMap(({ key, heading }) => {
      const { length } = cellText(row[key] ?? null)
      if (length <= mostInCell) return []
      const most = `${mostInCell} that a cell of a workbook may have`
      const msg = `cannot hold '${heading}' of '${row['system']}', which has ${length} characters, more than the ${most}: choose csv or json, or shorten it`
      return [{ loc: ['format'], msg, type: 'too_big' }]
    }),
  )
  if (issues.length > 0) throw invalidInput('choice of a data map', issues)
}

/** Reads what the map is made of. Rejects with `not_found` for an unknown organization. */
async function mappedDocuments(storage: Storage, organization: string | undefined): Promise<MappedDocuments> {
  const [organizationRows, systemRows, useRows, subjectRows] = await findAll(storage, [
    { kind: 'organization' },
    { kind: 'system' },
    { kind: 'dataUse' },
    { kind: 'dataSubject' },
  ])
  const byKey = <Document extends { readonly service_key: string }>(
    shipped: readonly Document[],
    rows: readonly { readonly document: Document }[],
  ) => new Map([...shipped, ...rows.map(({ document }) => document)].map((each) => [each.service_key, each]))
  const organizations = byKey([defaultOrganization], organizationRows)
  if (organization !== undefined && !organizations.has(organization)) {
    throw keyNotFound('organization', organization, organizations.keys())
  }
  const all = systemRows.map(({ document }) => document)
  const systems = all.filter((system) => organization === undefined || system.organization_service_key === organization)
  const references = systems.flatMap((system) => system.privacy_declarations.flatMap((each) => each.dataset_references))
  return {
    organizations,
    systems,
    names: new Map(all.map(({ service_key: key, name }) => [key, name])),
    receivers: receiversAmong(all),
    datasets: await factsOf(storage, [...new Set(references)]),
    uses: byKey(defaultTaxonomy.dataUses, useRows),
    subjects: byKey(defaultTaxonomy.dataSubjects, subjectRows),
  }
}

async function factsOf(storage: Storage, keys: readonly string[]): Promise<ReadonlyMap<string, DatasetFacts>> {
  const breathe = breather()
  const facts = new Map<string, DatasetFacts>()
  for await (const { id, document } of storedDatasets(storage, keys)) {
    facts.set(id, datasetFacts(document))
    await breathe()
  }
  return facts
}
