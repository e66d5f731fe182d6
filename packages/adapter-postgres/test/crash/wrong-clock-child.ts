/**
 * A process whose clock is wrong by some hours. It looks for requests all the time, says after how many looks it has begun
 * another one, and does the upkeep when it is told to by a line. Run by a test: `wrong-clock-child URL HOURS`.
 */
import { createInterface } from 'node:readline'
import { createPrivacyService, type Storage } from '@habeas/core'
import { postgresBlobs, postgresConnector, postgresStorage } from '../../src/index.js'

const [, , connectionString = '', hours = ''] = process.argv
const wrongMs = Number(hours) * 3_600_000
const Right = Date
globalThis.Date = class extends Right {
  constructor(...given: [] | [number]) {
    super(...(given.length === 0 ? ([Right.now() + wrongMs] as const) : given))
  }
  static override now = () => Right.now() + wrongMs
} as DateConstructor

const say = (line: string) => process.stdout.write(`${line}\n`)
const stored = postgresStorage({ connectionString })
const table = ((kind: never) => {
  const known = stored.table(kind)
  const find = (query: never) => {
    if (kind === 'privacyRequest') say('looks')
    return known.find(query)
  }
  return { ...known, find }
}) as Storage['table']
const blobs = postgresBlobs({ connectionString })
const privacy = createPrivacyService({
  encryptionKey: Buffer.alloc(32, 5).toString('base64'),
  storage: { ...stored, table },
  blobs,
  connectors: [postgresConnector()],
  execution: { sweepSeconds: 0.1 },
})
await privacy.health()

for await (const line of createInterface(process.stdin)) {
  if (line === 'submit') {
    const { id } = await privacy.requests.submit({
      policyKey: 'default_access_policy',
      identities: [{ email: 'ann@example.com' }],
    })
    say(id)
  } else say(JSON.stringify(await privacy.upkeep()))
}
await privacy.close()
await blobs.close()
await stored.close()
