import { describe, expect, it } from 'vitest'
import { openDatabase, type TestDatabase } from './database.js'
import { countsOf, erased, erasedShop, key, plain, refer } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

/* A service keeps what a database has described for some minutes. A migration does not wait for that. */

const server = sharedServer()

const ann = 'ann@example.com'
const email = plain('email', { identity: 'email' })

interface Described {
  readonly name: string
  readonly fields: readonly object[]
}

/** Ann and Bob write articles, lines of them, and reviews; each has an address. */
const tables = `
create table address (id int primary key, code text not null unique, street text);
create table customer (id int primary key, email text, name text, address_id int);
create table article (id int primary key, customer_id int not null references customer, note text);
create table line (id int primary key, article_id int not null, note text);
create table review (id int primary key, customer_id int not null references customer, article_id int, note text);
create table delivery (id int primary key, customer_id int not null references customer, address_id int, place text);
insert into address values (7, 'seven', 'Ann Lane'), (8, 'eight', 'Bob Street');
insert into customer values (1, '${ann}', 'Ann', 7), (2, 'bob@example.com', 'Bob', 8);
insert into article values (1, 1, 'hers'), (2, 2, 'his');
insert into line values (1, 1, 'hers'), (2, 2, 'his');
insert into review values (1, 1, 2, 'hers'), (2, 2, 1, 'his');
insert into delivery values (1, 1, null, null), (2, 2, 7, 'seven');`

const collections = (how: 'mask' | 'delete'): Described[] => {
  const meta = { service_meta: { erase: how } }
  return [
    { name: 'customer', fields: [key, email, erased('name'), refer('address_id', 'address.id', 'to')] },
    { name: 'address', ...meta, fields: [key, erased('street')] },
    { name: 'article', ...meta, fields: [key, refer('customer_id', 'customer.id', 'from'), erased('note')] },
    { name: 'line', ...meta, fields: [key, refer('article_id', 'article.id', 'from'), erased('note')] },
    {
      name: 'review',
      fields: [
        key,
        refer('customer_id', 'customer.id', 'from'),
        plain('article_id', none('article.id')),
        erased('note'),
      ],
    },
  ]
}
const none = (field: string) => ({ references: [{ dataset: 'shop', field, direction: 'none' }] })

const names = ['address', 'customer', 'article', 'line', 'review', 'delivery'] as const

/** All rows of the shop, as texts: what a view shows once it has taken a table's place included. */
async function everything({ client }: TestDatabase) {
  const rows: Record<string, string[]> = {}
  for (const name of names) {
    const found = await client.query(`select row_to_json(t)::text as row from ${name} t order by 1`)
    rows[name] = found.rows.map(({ row }) => row)
  }
  return rows
}

/** When the migration comes: after an access that remembers the catalogue, or when the erasure has planned and begins to read. */
const moments = ['before it begins', 'before its first write'] as const

interface Migrated {
  readonly moment: (typeof moments)[number]
  readonly how?: 'mask' | 'delete'
  readonly migration: string
  readonly described?: readonly object[]
}

async function eraseAfter(
  { moment, how = 'mask', migration, described = collections(how) }: Migrated,
  look: (
    end: Awaited<ReturnType<Awaited<ReturnType<typeof erasedShop>>['erase']>>,
    database: TestDatabase,
  ) => Promise<void>,
) {
  const database = await openDatabase(server.url, tables)
  let migrates = false
  const migrate = async () => {
    if (!migrates) return
    migrates = false
    await database.client.query(migration)
  }
  try {
    await using shop = await erasedShop({
      ...{ database, collections: described, remembersCatalogue: true },
      reads: migrate,
    })
    const before = await shop.access({ email: ann })
    expect([before.status, before.incomplete]).toEqual(['complete', undefined])
    migrates = true
    if (moment === 'before it begins') await migrate()
    const end = await shop.erase({ email: ann })
    expect(migrates).toBe(false)
    await look(end, database)
  } finally {
    await database.close()
  }
}

it.each(['mask', 'delete'] as const)('without a migration all her rows are erased: %s', async (how) => {
  await eraseAfter({ moment: 'before it begins', how, migration: '' }, async (end) => {
    const written = how === 'mask' ? { masked: 1 } : { erased: 1 }
    expect([end.status, end.failure, countsOf(end)]).toEqual([
      ...['complete', undefined],
      { customer: { masked: 1 }, review: { masked: 1 }, address: written, article: written, line: written },
    ])
  })
})

it.each([
  ['cascade', 'alter table review add foreign key (article_id) references article on delete cascade'],
  ['set null', 'alter table review add foreign key (article_id) references article on delete set null'],
  ['cascade, from a new table', 'create table opinion (article_id int references article on delete cascade)'],
])(
  'leaves a batch that a foreign key ON DELETE %s may carry on, when that is created right before it',
  async (_, migration) => {
    const database = await openDatabase(server.url, tables)
    let made = false
    const meanwhile = async ({ collection, when }: { readonly collection: string; readonly when: string }) => {
      if (made || collection !== 'article' || when !== 'before') return
      made = true
      await database.client.query(migration)
    }
    try {
      await using shop = await erasedShop({ database, collections: collections('delete'), meanwhile })
      const id = await shop.submit({ email: ann })
      const first = await shop.run(id)
      expect([made, first.status]).toEqual([true, 'error'])
      expect(first.failure).toContain('Foreign keys that refer to "article" have changed since it was described')
      const { article, review } = await everything(database)
      expect([article?.length, review]).toEqual([
        2,
        expect.arrayContaining([expect.stringMatching(/"article_id":1.*his/)]),
      ])
      const again = await shop.run(id)
      if (migration.startsWith('create')) expect(again.status).toBe('complete')
      else
        expect(again.failure).toContain(
          "1 row of 'shop:review' now refers to rows of 'shop:article' that were to be deleted",
        )
      expect((await everything(database))['review']?.[1]).toMatch(/"article_id":1,"note":"his"/)
    } finally {
      await database.close()
    }
  },
)

describe.each(moments)('a migration %s', (moment) => {
  it.each([
    ['cascade', 'would be deleted with them'],
    ['set null', 'would lose their reference'],
  ])("leaves somebody else's review where a new foreign key ON DELETE %s leads to her article", async (rule, why) => {
    const migration = `alter table review add foreign key (article_id) references article on delete ${rule}`
    await eraseAfter({ moment, how: 'delete', migration }, async (end, database) => {
      expect(end.status).toBe('error')
      expect(end.failure).toContain(
        `Nothing was erased: Rows of 'shop:article' cannot be deleted: 1 row of 'shop:review' that this request does not delete ${why}`,
      )
      const { rows } = await database.client.query('select id, article_id, note from review order by id')
      expect(rows).toEqual([
        { id: 1, article_id: 2, note: 'hers' },
        { id: 2, article_id: 1, note: 'his' },
      ])
      expect((await everything(database))['article']).toHaveLength(2)
    })
  })

  it('leaves a review in a table that is new and that nobody describes', async () => {
    const migration = `create table opinion (id int primary key, article_id int references article on delete cascade, note text);
      insert into opinion values (1, 1, 'his')`
    await eraseAfter({ moment, how: 'delete', migration }, async (end, { client }) => {
      expect(end.failure).toContain("1 row of 'opinion' that this request does not delete would be deleted with them")
      expect(end.coverage?.tables).toContain('shop:opinion')
      expect((await client.query('select * from opinion')).rows).toEqual([{ id: 1, article_id: 1, note: 'his' }])
    })
  })

  it.each([
    ['its key', 'mask', 'foreign key (address_id) references address'],
    ['its key', 'delete', 'foreign key (address_id) references address on delete cascade'],
    ['another key of it', 'mask', 'foreign key (place) references address (code)'],
    ['another key of it', 'delete', 'foreign key (place) references address (code) on delete set null'],
  ] as const)(
    "keeps an address that is somebody else's as well by a new reference to %s: %s",
    async (_, how, added) => {
      const migration = `alter table delivery add ${added}`
      await eraseAfter({ moment, how, migration }, async (end, database) => {
        expect([end.status, end.failure]).toEqual(['complete', undefined])
        const told = end.results?.find(({ collection }) => collection === 'address')
        expect(told?.outcomes).toEqual([{ outcome: 'retained', rowCount: 1, reason: 'shared with 1 row of delivery' }])
        const { address, delivery, article } = await everything(database)
        expect(address).toEqual([
          '{"id":7,"code":"seven","street":"Ann Lane"}',
          '{"id":8,"code":"eight","street":"Bob Street"}',
        ])
        expect(delivery?.[1]).toBe('{"id":2,"customer_id":2,"address_id":7,"place":"seven"}')
        expect(article).toEqual([
          ...(how === 'mask' ? ['{"id":1,"customer_id":1,"note":null}'] : []),
          '{"id":2,"customer_id":2,"note":"his"}',
        ])
      })
    },
  )

  const inItsPlace = (view: string) => `alter table article rename to post; create view article as ${view}`

  it.each([
    ['aggregated', 'select min(id) as id, customer_id, string_agg(note, $$ $$) as note from post group by customer_id'],
    ['joined', 'select p.id, p.customer_id, p.note from post p join customer c on c.id = p.customer_id'],
  ])('writes nothing anywhere once a view that is %s has taken the place of a table', async (_, view) => {
    await eraseAfter({ moment, migration: inItsPlace(view) }, async (end, database) => {
      expect(end.status).toBe('error')
      expect(end.failure).toContain("'shop:article' shows rows of other tables and cannot be written")
      const { rows } = await database.client.query('select note from line union all select note from review order by 1')
      expect(rows.map(({ note }) => note)).toEqual(['hers', 'hers', 'his', 'his'])
      expect((await everything(database))['customer']).toEqual([
        '{"id":1,"email":"ann@example.com","name":"Ann","address_id":7}',
        '{"id":2,"email":"bob@example.com","name":"Bob","address_id":8}',
      ])
    })
  })

  it('leaves rows behind a writable view that would be deleted with them', async () => {
    const migration = `${inItsPlace('select id, customer_id, note from post')};
      alter table review add foreign key (article_id) references post on delete cascade`
    await eraseAfter({ moment, how: 'delete', migration }, async (end, database) => {
      expect(end.failure).toContain("Rows of 'shop:article' cannot be deleted")
      expect(end.failure).toContain('they refer to a table behind the described one')
      const { rows } = await database.client.query('select note from review order by id')
      expect(rows).toEqual([{ note: 'hers' }, { note: 'his' }])
    })
  })

  it('erases her rows through a view that can be written, and nobody else’s', async () => {
    const migration = inItsPlace('select id, customer_id, note from post')
    await eraseAfter({ moment, migration }, async (end, database) => {
      expect([end.status, end.failure, countsOf(end)['article']]).toEqual(['complete', undefined, { masked: 1 }])
      expect((await everything(database))['article']).toEqual([
        '{"id":1,"customer_id":1,"note":null}',
        '{"id":2,"customer_id":2,"note":"his"}',
      ])
    })
  })

  it('leaves lines of two articles that a view shows under one number', async () => {
    // Articles are counted from 1 for each customer now: what hangs on the number hangs on nobody's alone.
    const migration = `alter table article add number int not null default 1; update line set article_id = 1;
      ${inItsPlace('select number as id, customer_id, note from post')}`
    const described = collections('mask').map(({ fields, ...each }) => {
      return each.name === 'article' ? { ...each, fields: fields.slice(0, 2) } : { ...each, fields }
    })
    await eraseAfter({ moment, migration, described }, async (end, database) => {
      expect(end.status).toBe('paused')
      expect(end.actionRequired?.accept).toEqual({ acceptUndecided: ['shop:line.article_id'] })
      const told = end.results?.flatMap(({ undecided = [] }) => undecided)
      expect(told).toMatchObject([{ reference: 'shop:line.article_id', rowCount: 2 }])
      const { rows } = await database.client.query('select note from line order by id')
      expect(rows).toEqual([{ note: 'hers' }, { note: 'his' }])
    })
  })
})
