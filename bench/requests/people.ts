import pg from 'pg'

/** The collections of each person, with this many rows in each but the first. */
export const collections = 5
const rowsEach = 5

/** Sizes can be set by the environment, so that a trial takes a minute. */
export const size = (name: string, usual: number): number => Number(process.env[`BENCH_${name}`] ?? usual)

/** Small subjects by number, and large ones with a row in each place beside `entryRows` in one table. */
export const small = (number: number): string => `small${number}@example.com`
export const large = (number: number): string => `large${number}@example.com`

/** Somebody whose rows are erased in five batches. */
export const batches = 'batches@example.com'
export const rowsOfBatches = 25_000

export async function makePeople(url: string, people: { small: number; large: number; entryRows: number }) {
  const client = new pg.Client(url)
  await client.connect()
  const children = Array.from({ length: collections - 1 }, (_, at) => `entry_${at}`)
  const statements = [
    'create table person (id integer primary key, email text not null unique, name text)',
    `insert into person select n, 'small' || n || '@example.com', 'Person ' || n from generate_series(1, ${people.small}) n`,
    `insert into person select ${people.small} + n, 'large' || n || '@example.com', 'Large ' || n from generate_series(1, ${people.large}) n`,
    ...children.flatMap((name) => [
      `create table ${name} (id bigserial primary key, person_id integer not null references person, note text)`,
      `insert into ${name} (person_id, note) select n, 'note ' || m from generate_series(1, ${people.small}) n, generate_series(1, ${rowsEach}) m`,
    ]),
    `insert into entry_0 (person_id, note) select ${people.small} + n, 'note ' || m from generate_series(1, ${people.large}) n, generate_series(1, ${people.entryRows}) m`,
    `insert into person values (0, '${batches}', 'Batches')`,
    ...children.map(
      (name) =>
        `insert into ${name} (person_id, note) select 0, 'note ' || m from generate_series(1, ${name === 'entry_0' ? rowsOfBatches : rowsEach}) m`,
    ),
    ...children.map((name) => `create index on ${name} (person_id)`),
    'analyze',
  ]
  for (const statement of statements) await client.query(statement)
  await client.end()
}

const field = (name: string, category?: string, service_meta = {}) => ({
  name,
  service_meta,
  ...(category !== undefined && { data_categories: [category] }),
})
const reference = { references: [{ dataset: 'db', field: 'person.id', direction: 'from' }] }

export const dataset = {
  service_key: 'db',
  collections: [
    {
      name: 'person',
      fields: [field('id'), field('email', 'user.contact.email', { identity: 'email' }), field('name', 'user.name')],
    },
    ...Array.from({ length: collections - 1 }, (_, at) => ({
      name: `entry_${at}`,
      fields: [field('id'), field('person_id', undefined, reference), field('note', 'user.content')],
    })),
  ],
}
