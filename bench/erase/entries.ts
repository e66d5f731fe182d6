import pg from 'pg'

/** One person with this many entries, among as many of others. */
export interface Subject {
  readonly email: string
  readonly entries: number
}

const subject = (entries: number): Subject => ({ email: `${entries}@erase.example`, entries })

export const subjects = {
  nobody: subject(0),
  thousand: subject(1_000),
  hundredThousand: subject(100_000),
  halfMillion: subject(500_000),
  million: subject(1_000_000),
} as const

/** Makes the tables that every run begins with, as templates: a run works on copies. */
export async function makeTemplates(url: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('create table person_template (id int, email text)')
    await client.query('create table entry_template (id bigint, person_id int, note text, kept int)')
    let id = 0
    for (const [at, { email, entries }] of Object.values(subjects).entries()) {
      await client.query('insert into person_template values ($1, $2), ($3, $4)', [
        ...[at * 2 + 1, email],
        ...[at * 2 + 2, `not.${email}`],
      ])
      // every other row is another person's
      await client.query(
        `insert into entry_template select $1::bigint + n, case when n % 2 = 0 then $2::int else $3::int end, 'entry ' || n || repeat(' words', 8), n
         from generate_series(1, $4::int) n`,
        [id, at * 2 + 1, at * 2 + 2, entries * 2],
      )
      id += entries * 2
    }
  } finally {
    await client.end()
  }
}

/** Fresh tables for one run: only the subject's rows and as many of somebody else, and a count of statements. */
export async function freshTables(url: string, { email }: Subject): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query('drop table if exists entry, person')
    await client.query('create table person (like person_template)')
    await client.query('insert into person select * from person_template where email in ($1, $2)', [
      email,
      `not.${email}`,
    ])
    await client.query('create table entry (like entry_template)')
    await client.query(
      'insert into entry select e.* from entry_template e join person p on p.id = e.person_id order by e.id',
    )
    await client.query('alter table person add primary key (id)')
    await client.query('alter table entry add primary key (id)')
    await client.query('create index on entry (person_id)')
    await client.query('create index on person (email)')
    await client.query('analyze person, entry')
    await client.query('checkpoint')
  } finally {
    await client.end()
  }
}

/** The ids of a subject's entries, as one who writes the statement by hand has them. */
export async function entryIds(client: pg.Client, { email }: Subject): Promise<string[]> {
  const query = 'select e.id from entry e join person p on p.id = e.person_id where p.email = $1 order by e.id'
  const { rows } = await client.query({ text: query, values: [email], rowMode: 'array' })
  return rows.map(([id]) => id as string)
}
