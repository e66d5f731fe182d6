import pg from 'pg'
import { atMost, type Measurement } from '../measurement.js'
import { batches, collections, rowsOfBatches, small } from './people.js'
import { carriedOut, describePeople, stateService } from './state-service.js'

/** A pool that counts statements as the server does: a text of several counts as several, and so do BEGIN and COMMIT. */
function countedPool(url: string) {
  const pool = new pg.Pool({ connectionString: url })
  const sent = { statements: 0, ofBlobs: 0 }
  return {
    sent,
    async connect() {
      const client = await pool.connect()
      return {
        query(text: string, values?: unknown[]) {
          const count = text.split(';').length
          sent.statements += count
          if (text.includes('"blob')) sent.ofBlobs += count
          return client.query(text, values)
        },
        release: (failure?: Error) => client.release(failure),
        on: client.on.bind(client),
        removeListener: client.removeListener.bind(client),
      }
    },
    end: () => pool.end(),
  }
}

/** (a) What a request sends to the state. */
export async function statements(people: string, state: string): Promise<readonly Measurement[]> {
  const pool = countedPool(state)
  const privacy = stateService({ state: pool, works: false })
  const counted = async (work: () => Promise<unknown>) => {
    const before = { ...pool.sent }
    await work()
    const all = pool.sent.statements - before.statements
    return { all, withoutBlobs: all - (pool.sent.ofBlobs - before.ofBlobs) }
  }
  try {
    await describePeople(privacy, people)
    let id = ''
    // What a process reads once.
    for (const action of ['access', 'erasure'] as const) await carriedOut(privacy, action, small(1))
    const access = await counted(async () => {
      id = await carriedOut(privacy, 'access', small(2))
    })
    const looked = await counted(() => privacy.requests.get(id))
    const erasure = await counted(() => carriedOut(privacy, 'erasure', small(3)))
    const many = await counted(() => carriedOut(privacy, 'erasure', batches))
    const further = Math.ceil(rowsOfBatches / 5_000) - 1
    // A helper looks at the end of each request once.
    const submitted = (all: number) => all - looked.all
    // The small subject is written in one batch for each collection, and so is this one but for its many rows.
    const perBatch = (many.withoutBlobs - erasure.withoutBlobs) / further
    return [
      atMost(`(a) access to ${collections} collections`, submitted(access.all), 'statements', 12 + 6 * collections),
      atMost(`(a) erasure of ${collections} collections`, submitted(erasure.all), 'statements', 12 + 18 * collections),
      atMost('(a) each further batch of an erasure', perBatch, 'statements', 3),
      atMost('(a) a look at the status', looked.all, 'statements', 1),
    ]
  } finally {
    await privacy.close()
    await pool.end()
  }
}
