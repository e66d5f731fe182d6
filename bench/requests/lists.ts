import pg from 'pg'
import { type Measurement, median, milliseconds, told } from '../measurement.js'
import { size } from './people.js'
import { stateService } from './state-service.js'

/** Says how the server found the rows of each statement. */
function explainingPool(url: string) {
  const pool = new pg.Pool({ connectionString: url })
  const plans: string[] = []
  const seen = { on: false }
  return {
    plans,
    seen,
    async connect() {
      const client = await pool.connect()
      return {
        async query(text: string, values?: unknown[]) {
          if (seen.on && /^(select|\(select)/.test(text)) {
            const { rows } = await client.query(`explain ${text}`, values)
            const lines = rows.map((row) => String(row['QUERY PLAN']))
            const scans = lines.filter((line) => / on record_privacy_request|Sort/.test(line) && !/Key/.test(line))
            const isCount = text.startsWith('select count')
            if (scans.length > 0) plans.push(`${isCount ? 'count' : 'page'}: ${scans.map(nodeOf).join(' < ')}`)
          }
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

const nodeOf = (line: string): string =>
  line
    .replace(/^[ >-]+/, '')
    .replace(/ +\(cost.*$/, '')
    .replaceAll('record_privacy_request', 'request')

/** (e) Lists among many requests, with the plans of the server. */
export async function lists(state: string): Promise<readonly Measurement[]> {
  const count = size('LISTED', 1_000_000)
  const pool = explainingPool(state)
  const privacy = stateService({ state: pool, works: false })
  try {
    await privacy.requests.list()
    console.log(`storing ${count.toLocaleString('en')} requests`)
    const client = new pg.Client(state)
    await client.connect()
    await client.query(
      `insert into habeas.record_privacy_request (kind, id, version, document)
      select 'privacyRequest', id, 1, jsonb_build_object('id', id, 'version', 1, 'status', status, 'policyKey', 'default_access_policy',
        'externalId', 'case-' || n, 'createdAt', at, 'requestedAt', at, 'startedProcessingAt', at, 'finishedProcessingAt',
        case when status in ('complete', 'error') then at end, 'dueDate', at, 'encrypted', false) - case when status in ('complete', 'error') then '' else 'finishedProcessingAt' end
      from (select n, 'pri_' || lpad(n::text, 12, '0') as id,
        (array['complete', 'complete', 'complete', 'complete', 'complete', 'complete', 'complete', 'error', 'canceled', 'pending'])[1 + n % 10 - case when n % 1000 <> 9 and n % 10 = 9 then 1 else 0 end] as status,
        to_char(timestamp '2025-01-01' + n * interval '30 seconds', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
        from generate_series(1, $1::integer) n) as made`,
      [count],
    )
    await client.query('vacuum analyze habeas.record_privacy_request')
    await client.end()
    const day = '2025-03-01T00:00:00Z'
    const asked = {
      'the newest': {},
      'page 100': { page: 100 },
      'the oldest': { sortDirection: 'asc' },
      'in error': { status: 'error' },
      'waiting (1 in 1,000)': { status: 'pending' },
      'of a day': { createdGt: day, createdLt: '2025-03-02T00:00:00Z' },
      'by external id': { externalId: 'case-77777' },
      overdue: { overdue: true },
      'one, by its id': { requestId: 'pri_000000077777' },
    } as const
    const measurements: Measurement[] = []
    for (const [name, options] of Object.entries(asked)) {
      pool.seen.on = true
      pool.plans.length = 0
      await privacy.requests.list(options)
      pool.seen.on = false
      console.log(`${name}: ${pool.plans.join('; ')}`)
      const times: number[] = []
      for (let round = 0; round < 5; round++) times.push(await milliseconds(() => privacy.requests.list(options)))
      measurements.push(told(`(e) list among ${count.toLocaleString('en')}: ${name}`, median(times), 'ms'))
    }
    return measurements
  } finally {
    await privacy.close()
    await pool.end()
  }
}
