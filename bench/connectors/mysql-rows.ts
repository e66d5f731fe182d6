import mysql from 'mysql2/promise'

/** One person with this many rows, among as many of somebody else. */
export interface RowsSubject {
  readonly email: string
  readonly rows: number
}

export const subjectOf = (rows: number): RowsSubject => ({ email: `${rows}@rows.example`, rows })

const digit =
  '(select 0 d union all select 1 union all select 2 union all select 3 union all select 4 union all select 5 union all select 6 union all select 7 union all select 8 union all select 9)'

/** Fills the database of one subject. Every other row is somebody else's. */
export async function fillRows(url: string, database: string, { email, rows }: RowsSubject): Promise<void> {
  await withSession(url, async (session) => {
    await session.query(`drop database if exists ${database}`)
    await session.query(`create database ${database} character set utf8mb4`)
    await session.query(`use ${database}`)
    await session.query('create table person (id bigint primary key, email varchar(190) not null, key (email))')
    await session.query(`insert into person values (1, ?), (2, ?)`, [email, `not.${email}`])
    await session.query(
      'create table entry (id bigint primary key, person_id bigint not null, note varchar(200), at datetime, amount decimal(12, 2), key (person_id))',
    )
    const numbers = 'a.d + 10 * b.d + 100 * c.d + 1000 * e.d + 10000 * f.d'
    for (let from = 0; from < rows * 2; from += 100_000) {
      await session.query(
        `insert into entry select ${from} + n, 1 + n % 2, concat('entry ', ${from} + n, repeat(' words', 8)),
          '2024-01-01' + interval n second, n / 4
        from (select ${numbers} as n from ${digit} a, ${digit} b, ${digit} c, ${digit} e, ${digit} f) as numbers
        where ${from} + n < ${rows * 2} order by n`,
      )
    }
    await session.query('analyze table entry')
  })
}

export async function withSession<Result>(
  url: string,
  work: (session: mysql.Connection) => Promise<Result>,
): Promise<Result> {
  const session = await mysql.createConnection({ uri: url, supportBigNumbers: true, dateStrings: true })
  try {
    return await work(session)
  } finally {
    await session.end()
  }
}
