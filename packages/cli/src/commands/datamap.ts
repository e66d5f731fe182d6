import type { EndpointKey, PrivacyClient } from '@habeas/client'
import { type DataMapPageInput, dataMapPage } from '@habeas/map-html'
import { type ExitCode, exitCodes, wrongUsage } from '../command-end.js'
import { openService, type ServiceOptions } from '../config/open-service.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { everything } from '../everything.js'
import { documentFindings } from '../problems.js'
import { say, type Terminal } from '../terminal.js'
import { bytesOf, needWritable, writeStream } from '../write-stream.js'

export interface DatamapOptions extends ServiceOptions {
  readonly view: 'map' | 'controller' | 'processor'
  readonly format: 'json' | 'csv' | 'xlsx' | 'html'
  readonly organization?: string
  readonly output?: string
  /** Exit with 1 where something is blank that the record has to say. */
  readonly strict?: boolean
}

interface DataMap {
  readonly rows: readonly unknown[]
  readonly blanks: readonly { readonly message: string }[]
}

/** Writes the data map, or the record of processing activities. */
export async function datamap(terminal: Terminal, options: DatamapOptions): Promise<ExitCode> {
  const { view, format, organization: key } = options
  if (format === 'html' && (view !== 'map' || key !== undefined))
    throw wrongUsage('The page shows the whole map: leave --view and --organization out, or choose another --format.')
  await needWritable(terminal, '--output', options.output)
  await using service = await openService(terminal, options, { asks: [] })
  refuseBroken(terminal, service.applied)
  const unknown = documentFindings(service.applied)
  for (const { place, message } of unknown) say(terminal, `${place}: ${message}`)
  const { client } = service
  if (format === 'html') {
    await writeStream(terminal, bytesOf(dataMapPage(await mapped(client))), options.output)
    return exitCodes.fine
  }
  const stream = (query: { view: typeof view; format: typeof format }) =>
    key === undefined
      ? client.stream('GET /api/v1/datamap', { query })
      : client.stream('GET /api/v1/datamap/{service_key}', { path: { service_key: key }, query })
  await writeStream(terminal, (await stream({ view, format })).stream, options.output)
  const parts: Uint8Array[] = []
  for await (const part of (await stream({ view, format: 'json' })).stream) parts.push(part)
  const { rows, blanks } = JSON.parse(Buffer.concat(parts).toString()) as DataMap
  if (rows.length === 0) say(terminal, 'No system declares anything for this view: describe systems in the files.')
  for (const { message } of blanks) say(terminal, message)
  const isLacking = blanks.length > 0 || unknown.length > 0 || rows.length === 0
  return options.strict && isLacking ? exitCodes.findings : exitCodes.fine
}

/** Everything that the page shows. */
async function mapped(client: PrivacyClient): Promise<DataMapPageInput> {
  const all = (kind: string) =>
    everything((query) => client.call(`GET /api/v1/${kind}` as EndpointKey, { query } as never) as never)
  const kinds = ['system', 'dataset', 'organization', 'data_category', 'data_use', 'data_subject']
  const [systems, datasets, organizations, dataCategories, dataUses, dataSubjects] = await Promise.all(kinds.map(all))
  return { systems, datasets, organizations, dataCategories, dataUses, dataSubjects } as never
}
