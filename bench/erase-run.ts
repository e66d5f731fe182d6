import { randomBytes } from 'node:crypto'
import { postgresConnector } from '@habeas/adapter-postgres'
import { createPrivacyService } from '@habeas/core'
import pg from 'pg'
import { entryIds, type Subject } from './erase/entries.js'
import { measuredConnector, type Phases } from './erase/measured-connector.js'

/*
 * Process that erases one subject and tells how long each phase took and what it held at most. Arguments: the way, the
 * server's URL, the subject's e-mail address and the number of its entries.
 */
export type Way = 'engine, constant' | 'engine, a value per row' | 'by hand' | 'row by row'

export interface EraseRun extends Phases {
  readonly rows: number
  readonly peakMegabytes: number
}

// whoever asked is gone, and so is the server
process.on('disconnect', () => process.exit())

const [way, url, email, entries] = process.argv.slice(2) as [Way, string, string, string]
const subject: Subject = { email, entries: Number(entries) }
const mostRowByRow = 20_000

async function byEngine(masking: object): Promise<Omit<EraseRun, 'peakMegabytes'>> {
  const { connector, phases } = measuredConnector(postgresConnector())
  const privacy = createPrivacyService({ encryptionKey: randomBytes(32).toString('base64'), connectors: [connector] })
  try {
    await privacy.connections.put({ key: 'db', connectionType: 'postgres', access: 'write' })
    await privacy.connections.setSecrets('db', { url }, { verify: false })
    await privacy.connections.attachDataset('db', dataset(masking))
    const { id } = await privacy.requests.submit({ policyKey: 'default_erasure_policy', identity: { email } })
    const { status, failure, results = [] } = await privacy.requests.settled(id)
    if (status !== 'complete') throw new Error(`The request ended in ${status}: ${failure}`)
    const masked = results.flatMap(({ outcomes }) => outcomes.filter(({ outcome }) => outcome === 'masked'))
    return { rows: masked.reduce((sum, { rowCount }) => sum + rowCount, 0), ...phases() }
  } finally {
    await privacy.close()
  }
}

function dataset(masking: object) {
  const reference = { dataset: 'db', field: 'person.id', direction: 'from' }
  const fields = (list: readonly (readonly [string, object?, string[]?])[]) =>
    list.map(([name, service_meta = {}, data_categories = []]) => ({ name, service_meta, data_categories }))
  return {
    service_key: 'db',
    collections: [
      { name: 'person', fields: fields([['id'], ['email', { identity: 'email' }]]) },
      {
        name: 'entry',
        fields: fields([
          ['id'],
          ['person_id', { references: [reference] }],
          ['note', { masking_strategy: masking }, ['user.content']],
        ]),
      },
    ],
  }
}

async function byHand(): Promise<Omit<EraseRun, 'peakMegabytes'>> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const ids = await entryIds(client, subject)
    const some = way === 'row by row' ? ids.slice(0, mostRowByRow) : ids
    const from = performance.now()
    if (way === 'by hand') {
      await client.query('update entry set note = $2 where id = any($1::bigint[])', [some, 'erased'])
    } else {
      const text = 'update entry set note = $2 where id = $1'
      for (const id of some) await client.query({ name: 'one', text, values: [id, 'erased'] })
    }
    const writing = (performance.now() - from) * (some.length > 0 ? ids.length / some.length : 1)
    return { rows: some.length, batches: 1, writing, verifying: 0, finding: 0 }
  } finally {
    await client.end()
  }
}

const constant = { strategy: 'string_rewrite', configuration: { rewrite_value: 'erased' } }
const run = await (way === 'engine, constant'
  ? byEngine(constant)
  : way === 'engine, a value per row'
    ? byEngine({ strategy: 'random_string_rewrite' })
    : byHand())
const { maxRSS } = process.resourceUsage()
process.send?.({ ...run, peakMegabytes: maxRSS / 1024 } satisfies EraseRun, () => process.disconnect())
