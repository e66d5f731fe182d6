import { randomBytes } from 'node:crypto'
import { postgresConnector } from '@habeas/adapter-postgres'
import { createPrivacyService } from '@habeas/core'

/*
 * Process that delivers or erases the long texts of one person, and tells how long the request took and what the process
 * held at most. Arguments: the way, the server's URL, the person's e-mail address.
 */
export type TextsWay = 'delivered' | 'erased'

export interface TextsRun {
  readonly milliseconds: number
  readonly rows: number
  readonly peakMegabytes: number
}

// whoever asked is gone, and so is the server
process.on('disconnect', () => process.exit())

const [way, url, email] = process.argv.slice(2) as [TextsWay, string, string]
const policyKey = way === 'delivered' ? 'default_access_policy' : 'default_erasure_policy'

const privacy = createPrivacyService({
  encryptionKey: randomBytes(32).toString('base64'),
  connectors: [postgresConnector()],
})
try {
  await privacy.connections.put({ key: 'db', connectionType: 'postgres', access: 'write' })
  await privacy.connections.setSecrets('db', { url }, { verify: false })
  await privacy.connections.attachDataset('db', {
    service_key: 'db',
    collections: [
      {
        name: 'letter',
        fields: [
          { name: 'id', service_meta: { primary_key: true } },
          { name: 'email', service_meta: { identity: 'email' } },
          { name: 'note', data_categories: ['user.content'] },
        ],
      },
    ],
  })
  const answered = async (person: string) => {
    const { id } = await privacy.requests.submit({ policyKey, identity: { email: person } })
    const { status, failure, results = [] } = await privacy.requests.settled(id)
    if (status !== 'complete') throw new Error(`The request ended in ${status}: ${failure}`)
    const outcome = way === 'delivered' ? 'delivered' : 'masked'
    const done = results.flatMap(({ outcomes }) => outcomes.filter((each) => each.outcome === outcome))
    return done.reduce((sum, { rowCount }) => sum + rowCount, 0)
  }
  // what a process does once is not counted
  await answered('nobody@bench.example')
  const from = performance.now()
  const rows = await answered(email)
  const milliseconds = performance.now() - from
  const run: TextsRun = { milliseconds, rows, peakMegabytes: process.resourceUsage().maxRSS / 1024 }
  process.send?.(run, () => process.disconnect())
} finally {
  await privacy.close()
}
