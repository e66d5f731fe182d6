import { type ExitCode, exitCodes } from '../command-end.js'
import { openService, type ServiceOptions } from '../config/open-service.js'
import { refuseBroken } from '../datasets/refuse-broken.js'
import { say, type Terminal } from '../terminal.js'
import { writeStream } from '../write-stream.js'

export interface DatamapOptions extends ServiceOptions {
  readonly view: 'map' | 'controller' | 'processor'
  readonly format: 'json' | 'csv' | 'xlsx'
  readonly organization?: string
  readonly output?: string
  /** Exit with 1 where something is blank that the record has to say. */
  readonly strict?: boolean
}

/** Writes the data map, or the record of processing activities. */
export async function datamap(terminal: Terminal, options: DatamapOptions): Promise<ExitCode> {
  const { view, format, organization: key } = options
  await using service = await openService(terminal, options)
  refuseBroken(service.applied)
  const { client } = service
  const stream = (query: { view: typeof view; format: typeof format }) =>
    key === undefined
      ? client.stream('GET /api/v1/datamap', { query })
      : client.stream('GET /api/v1/datamap/{service_key}', { path: { service_key: key }, query })
  await writeStream(terminal, (await stream({ view, format })).stream, options.output)
  const parts: Uint8Array[] = []
  for await (const part of (await stream({ view, format: 'json' })).stream) parts.push(part)
  const { blanks } = JSON.parse(Buffer.concat(parts).toString()) as { blanks: readonly { message: string }[] }
  for (const { message } of blanks) say(terminal, message)
  return options.strict && blanks.length > 0 ? exitCodes.findings : exitCodes.fine
}
