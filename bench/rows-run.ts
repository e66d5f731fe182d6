import { randomBytes } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { createPrivacyService, type DatasetInput } from '@habeas/core'
import { type RowsKind, rowsServers } from './connectors/rows-servers.js'
import { measuredConnector } from './erase/measured-connector.js'

/*
 * Process that reads or erases the rows of one subject. It tells how long that took and what it held at most. Arguments: the
 * kind of the server, the way, its URL, the subject's e-mail address.
 */
export type RowsWay = 'access' | 'stream' | 'erase, constant' | 'erase, a value per row' | 'one update'

export interface RowsRun {
  readonly rows: number
  readonly milliseconds: number
  /** Beside the writing of an erasure. */
  readonly finding: number
  readonly verifying: number
  readonly peakMegabytes: number
}

type Timed = Pick<RowsRun, 'rows' | 'milliseconds'> & Partial<RowsRun>
type Masking = typeof constant | { readonly strategy: 'random_string_rewrite' }

// nobody waits for the result of a process whose parent is gone
process.on('disconnect', () => process.exit())

const [kind, way, url, email] = process.argv.slice(2) as [RowsKind, RowsWay, string, string]
const delivered = ['note', 'at', 'amount'] as const
const server = rowsServers[kind]

async function requested(policyKey: string, outcome: string, masking?: Masking): Promise<Timed> {
  const { connector, phases } = measuredConnector(server.connector())
  const privacy = createPrivacyService({ encryptionKey: randomBytes(32).toString('base64'), connectors: [connector] })
  try {
    await privacy.connections.put({ key: 'db', connectionType: kind, access: masking ? 'write' : 'read' })
    await privacy.connections.setSecrets('db', server.secrets(url) as never)
    await privacy.connections.attachDataset('db', dataset(masking))
    const from = performance.now()
    const { id } = await privacy.requests.submit({ policyKey, identities: [{ email }] })
    const { status, failure, results = [] } = await privacy.requests.settled(id)
    if (status !== 'complete') throw new Error(`The request ended in ${status}: ${failure}`)
    const milliseconds = performance.now() - from
    const outcomes = results.filter(({ collection }) => collection === 'entry').flatMap((each) => each.outcomes)
    const rows = outcomes.filter((each) => each.outcome === outcome).reduce((sum, { rowCount }) => sum + rowCount, 0)
    const { writing, finding, verifying } = phases()
    return masking ? { rows, milliseconds: writing, finding, verifying } : { rows, milliseconds }
  } finally {
    await privacy.close()
  }
}

function dataset(masking?: Masking): DatasetInput {
  const reference = { dataset: 'db', field: 'person.id', direction: 'from' as const }
  const personal = ['user.content']
  const others = delivered.filter((name) => name !== 'note')
  return {
    service_key: 'db',
    collections: [
      { name: 'person', fields: [{ name: 'id' }, { name: 'email', service_meta: { identity: 'email' } }] },
      {
        name: 'entry',
        fields: [
          { name: 'id' },
          { name: 'person_id', service_meta: { references: [reference] } },
          { name: 'note', data_categories: personal, service_meta: masking ? { masking_strategy: masking } : {} },
          // an erasure is compared with an update of one column
          ...others.map((name) => ({ name, data_categories: masking ? [] : personal })),
        ],
      },
    ],
  }
}

/** The driver's stream of the same rows, and a line of JSON for each. */
async function stream(): Promise<Timed> {
  const path = join(tmpdir(), `habeas-bench-${process.pid}.jsonl`)
  try {
    const from = performance.now()
    const file = createWriteStream(path)
    const rows = await server.stream(url, email, file)
    file.end()
    await finished(file)
    return { rows, milliseconds: performance.now() - from }
  } finally {
    await rm(path, { force: true })
  }
}

const constant = { strategy: 'string_rewrite', configuration: { rewrite_value: 'erased' } } as const
const ways: Readonly<Record<RowsWay, () => Promise<Timed>>> = {
  access: () => requested('default_access_policy', 'delivered'),
  stream,
  'erase, constant': () => requested('default_erasure_policy', 'masked', constant),
  'erase, a value per row': () => requested('default_erasure_policy', 'masked', { strategy: 'random_string_rewrite' }),
  'one update': () => server.timedUpdate(url, email),
}

const run = await ways[way]()
const { maxRSS } = process.resourceUsage()
const result: RowsRun = { finding: 0, verifying: 0, ...run, peakMegabytes: maxRSS / 1024 }
process.send?.(result, () => process.disconnect())
