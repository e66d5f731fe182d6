import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { mongodbConnector } from '@habeas/adapter-mongodb'
import { createPrivacyService, type DatasetInput } from '@habeas/core'
import type { Db } from 'mongodb'
import { delivered, withDatabase } from './connectors/documents.js'
import { measuredConnector } from './erase/measured-connector.js'

/*
 * Process that reads or erases the documents of one subject. It tells how long that took, how much CPU time this process
 * used meanwhile, and what it held at most. Arguments: the way, the server's URL, the database, the subject's e-mail address.
 */
export type Way = 'access' | 'cursor' | 'erase, constant' | 'erase, a value per document' | 'updateMany'

export interface DocumentsRun {
  readonly documents: number
  readonly milliseconds: number
  /** User and system time of this process. */
  readonly cpuMilliseconds: number
  readonly peakMegabytes: number
}

type Masking = typeof constant | { readonly strategy: 'random_string_rewrite' }
type Timed = Omit<DocumentsRun, 'peakMegabytes' | 'cpuMilliseconds'>

// Nobody waits for the result of a process whose parent is gone.
process.on('disconnect', () => process.exit())

const [way, url, database, email] = process.argv.slice(2) as [Way, string, string, string]
const batchDocuments = 1000
const pieceCharacters = 64 * 1024

async function access(): Promise<Timed> {
  const { privacy } = await service('read')
  try {
    const from = performance.now()
    const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
    const { status, failure, results = [] } = await privacy.requests.settled(id)
    if (status !== 'complete') throw new Error(`The request ended in ${status}: ${failure}`)
    const milliseconds = performance.now() - from
    return { documents: entriesOf(results, 'delivered'), milliseconds }
  } finally {
    await privacy.close()
  }
}

async function erase(masking: Masking): Promise<Timed> {
  const { privacy, phases } = await service('write', masking)
  try {
    const { id } = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identities: [{ email }] })
    const { status, failure, results = [] } = await privacy.requests.settled(id)
    if (status !== 'complete') throw new Error(`The request ended in ${status}: ${failure}`)
    return { documents: entriesOf(results, 'masked'), milliseconds: phases().writing }
  } finally {
    await privacy.close()
  }
}

async function service(access: 'read' | 'write', masking?: Masking) {
  const { connector, phases } = measuredConnector(mongodbConnector())
  const privacy = createPrivacyService({ encryptionKey: randomBytes(32).toString('base64'), connectors: [connector] })
  await privacy.connections.put({ key: 'db', connectionType: 'mongodb', access })
  await privacy.connections.setSecrets('db', { url, database })
  await privacy.connections.attachDataset('db', dataset(masking))
  return { privacy, phases }
}

function dataset(masking?: Masking): DatasetInput {
  const reference = { dataset: 'db', field: 'person._id', direction: 'from' as const }
  const personal = ['user.content']
  const others = delivered.filter((name) => name !== 'note')
  return {
    service_key: 'db',
    collections: [
      { name: 'person', fields: [{ name: '_id' }, { name: 'email', service_meta: { identity: 'email' } }] },
      {
        name: 'entry',
        fields: [
          { name: '_id' },
          { name: 'person_id', service_meta: { references: [reference] } },
          { name: 'note', data_categories: personal, service_meta: masking ? { masking_strategy: masking } : {} },
          // An erasure is compared with an update of one member.
          ...others.map((name) => ({ name, data_categories: masking ? [] : personal })),
        ],
      },
    ],
  }
}

function entriesOf(
  results: readonly {
    readonly collection: string
    readonly outcomes: readonly { readonly outcome: string; readonly rowCount: number }[]
  }[],
  outcome: string,
): number {
  const outcomes = results.filter(({ collection }) => collection === 'entry').flatMap((each) => each.outcomes)
  return outcomes.filter((each) => each.outcome === outcome).reduce((sum, { rowCount }) => sum + rowCount, 0)
}

/** The driver's cursor, and a line of JSON for each document. */
async function cursor(db: Db): Promise<Timed> {
  const path = join(tmpdir(), `habeas-bench-${process.pid}.jsonl`)
  try {
    const from = performance.now()
    const person = await db.collection('person').findOne({ email })
    const projection = Object.fromEntries([['_id', 0], ...delivered.map((name) => [name, 1])])
    const file = createWriteStream(path)
    let documents = 0
    let lines = ''
    for await (const document of db
      .collection('entry')
      .find({ person_id: person?._id }, { projection, batchSize: batchDocuments })) {
      documents++
      lines += `${JSON.stringify(document)}\n`
      if (lines.length < pieceCharacters) continue
      if (!file.write(lines)) await once(file, 'drain')
      lines = ''
    }
    file.end(lines)
    await finished(file)
    return { documents, milliseconds: performance.now() - from }
  } finally {
    await rm(path, { force: true })
  }
}

async function updateMany(db: Db): Promise<Timed> {
  const person = await db.collection('person').findOne({ email })
  const ids = await db
    .collection('entry')
    .find({ person_id: person?._id }, { projection: { _id: 1 } })
    .toArray()
  const from = performance.now()
  const { modifiedCount } = await db
    .collection('entry')
    .updateMany({ _id: { $in: ids.map(({ _id }) => _id) } }, { $set: { note: 'erased' } })
  return { documents: modifiedCount, milliseconds: performance.now() - from }
}

const constant = { strategy: 'string_rewrite', configuration: { rewrite_value: 'erased' } } as const
const ways: Readonly<Record<Way, () => Promise<Timed>>> = {
  access,
  cursor: () => withDatabase(url, database, cursor),
  'erase, constant': () => erase(constant),
  'erase, a value per document': () => erase({ strategy: 'random_string_rewrite' }),
  updateMany: () => withDatabase(url, database, updateMany),
}

const before = process.cpuUsage()
const run = await ways[way]()
const { user, system } = process.cpuUsage(before)
const { maxRSS } = process.resourceUsage()
const result: DocumentsRun = { ...run, cpuMilliseconds: (user + system) / 1000, peakMegabytes: maxRSS / 1024 }
process.send?.(result, () => process.disconnect())
