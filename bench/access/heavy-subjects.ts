import pg from 'pg'

/** Customers with far more rows than any real one, by what their e-mail address says. */
export interface HeavySubject {
  readonly email: string
  /** Rows of the child collection and of the grandchild. */
  readonly rows: readonly [number, number]
}

const subject = (name: string, child: number, grandchild: number): HeavySubject => ({
  email: `${name}@heavy.example`,
  rows: [child, grandchild],
})

/** 1,000,000 logins with 200,000 challenges; 1,000,000 visits with 200,000 events; half of each; 20,000 long messages. */
export const heavySubjects = {
  integer: subject('integer', 1_000_000, 200_000),
  integerHalf: subject('integer.half', 500_000, 100_000),
  uuid: subject('uuid', 1_000_000, 200_000),
  uuidHalf: subject('uuid.half', 500_000, 100_000),
  long: subject('long', 20_000, 0),
  /** In no row at all. */
  nobody: subject('nobody', 0, 0),
} as const

const longText = 100_000
const firstId = 10_000_000

/** Adds the heavy customers to a shop. Indexes are made anew, and what the first reader would have to tidy up is tidied. */
export async function addHeavySubjects(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('set session_replication_role = replica; set timezone = utc')
    let id = firstId
    const customer = async ({ email }: HeavySubject) => {
      id += 1
      await client.query(
        `insert into customers select ${id}, $1, '+49 30 ${id}', first_name, last_name, birth_date, address_id, null,
        password_hash, profile, created_at from customers where id = 42`,
        [email],
      )
      return id
    }
    const { integer, integerHalf, uuid, uuidHalf, long } = heavySubjects
    for (const [at, each] of [integer, integerHalf].entries()) {
      const from = firstId * (at + 1)
      await client.query(`insert into logins select ${from} + row, ${await customer(each)}, '10.0.' || row % 256 || '.1',
        rpad('Mozilla/5.0 ' || row, 120, ' gecko'), null, true, timestamptz '2022-01-01' + row * interval '1 second'
        from generate_series(1, ${each.rows[0]}) as row`)
      await client.query(`insert into login_challenges select ${from} + row, ${from} + row * 5, 'sms', '+49 30 ' || row,
        timestamptz '2022-01-01' + row * interval '5 seconds' from generate_series(1, ${each.rows[1]}) as row`)
    }
    for (const [at, each] of [uuid, uuidHalf].entries()) {
      const key = (row: string) => `md5('heavy ${at} ' || ${row})::uuid`
      await client.query(`insert into visits select ${key('row')}, ${await customer(each)}, '10.0.' || row % 256 || '.1',
        rpad('/landing/' || row, 120, '/page'), null, timestamptz '2022-01-01' + row * interval '1 second'
        from generate_series(1, ${each.rows[0]}) as row`)
      await client.query(`insert into visit_events select ${firstId * (at + 1)} + row, ${key('row * 5')}, 'view', '/page/' || row,
        timestamptz '2022-01-01' + row * interval '5 seconds' from generate_series(1, ${each.rows[1]}) as row`)
    }
    const writer = await customer(long)
    await client.query(`insert into support_threads values (${firstId}, ${writer}, null, 'A long story', '2022-01-01')`)
    await client.query(`insert into support_messages select ${firstId} + row, ${firstId}, ${writer},
      repeat(md5(row::text), ${longText / 32}), '[]', '2022-01-01' from generate_series(1, ${long.rows[0]}) as row`)
    await client.query('vacuum analyze')
  } finally {
    await client.end()
  }
}
