import { type CatalogueCollection, type Connection, type Erase, type KeyGroup, PrivacyError } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

const group = (column: string, ...keys: readonly (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [keys],
})
const masking = (collection: string, ...ids: number[]): Erase => ({
  collection,
  key: ['id'],
  keys: [ids],
  anyOf: [group('id', ...ids)],
  set: [{ column: 'name', to: 'x' }],
})

/** Tables of every sort: what the catalogue says of them, and how they are written. */
export function tablesSuite(kind: Kind): void {
  describe(`tables, on ${kind}`, () => {
    let database: TestDatabase
    let other: TestDatabase
    let connection: Connection
    beforeAll(async () => {
      database = await openDatabase(kind)
      other = await openDatabase(kind)
      connection = await database.connect()
    })
    afterAll(async () => {
      await other.close()
      await database.close()
    })
    const described = async (name: string) => {
      const { collections } = await connection.describe()
      return collections.find((collection) => collection.name === name) as CatalogueCollection
    }
    const names = (table: string) => database.rows(`select name from ${table} order by id`)

    it('triggers that see old values are named', async () => {
      await database.run(
        'create table audited (id int primary key, name varchar(20))',
        'create table seen_by (name varchar(20))',
        'create trigger `b``audit` before update on audited for each row insert into seen_by values (old.name)',
        'create trigger audit_gone after delete on audited for each row insert into seen_by values (old.name)',
        'create trigger audit_came before insert on audited for each row set new.name = trim(new.name)',
      )
      expect((await described('audited')).keptIn).toEqual([
        { name: 'audit_gone', kind: 'trigger' },
        { name: 'b`audit', kind: 'trigger' },
      ])
      expect((await described('seen_by')).keptIn).toBeUndefined()
    })

    it('a refusal names the rule of the server, and no value that a trigger puts in the place of one', async () => {
      await database.run(
        `create table ruled (id int primary key, name varchar(20) not null, code varchar(5), unique key one_code (code),
          constraint no_digit check (code <> '1'))`,
        `insert into ruled values (1, 'ann', 'a'), (2, 'bob', 'b')`,
      )
      const refusal = async (column: string, to: string | null) => {
        const failed = connection.erase?.({ ...masking('ruled', 1), set: [{ column, to }] })
        return (await failed?.catch((error: unknown) => error)) as PrivacyError
      }
      expect((await refusal('code', 'b')).details).toEqual({ reason: 'refused', constraint: 'one_code' })
      expect((await refusal('code', '1')).details).toEqual({ reason: 'refused', constraint: 'no_digit' })
      expect((await refusal('code', '123456')).details).toEqual({ reason: 'refused', column: 'code' })
      await database.run(`create trigger ruled_no before update on ruled for each row signal sqlstate '23000'
        set mysql_errno = 1048, message_text = 'Column ''ann@example.com'' cannot be null'`)
      const { details, message } = await refusal('code', 'c')
      expect(details).toEqual({ reason: 'refused' })
      expect(message).not.toContain('ann@example.com')
    })

    it('rows are named by a document alone, and the failure names its column where that was dropped', async () => {
      await database.run(
        'create table documented (name varchar(20), doc json)',
        `insert into documented values ('ann', '{"a": 1}'), ('bob', '{"a": 2}'), ('bob', null)`,
      )
      const erase: Erase = {
        ...{
          collection: 'documented',
          key: ['doc'],
          keys: [[{ a: 1 }]],
          rows: 1,
          anyOf: [group('name', 'ann', 'bob')],
        },
        set: [{ column: 'name', to: 'x' }],
      }
      await described('documented')
      await connection.erase?.(erase)
      expect(await database.rows('select name from documented')).toEqual([['x'], ['bob'], ['bob']])
      await database.run('alter table documented drop column doc')
      await expect(connection.erase?.(erase)).rejects.toMatchObject({ details: { reason: 'missing_column' } })
    })

    it('a TINYINT(1) or BIT(1) that is a part of a key is a number', async () => {
      await database.run(
        'create table flags (id tinyint(1) primary key, twin bit(1) unique, flag tinyint(1), bit_flag bit(1))',
        'create table of_flags (id int primary key, flags_id tinyint(1), foreign key (flags_id) references flags (id))',
        `insert into flags values (1, b'1', 1, b'1'), (2, b'0', 2, b'0')`,
      )
      const kinds = (await described('flags')).columns.map(({ kind }) => kind)
      expect(kinds).toEqual(['integer', 'integer', 'boolean', 'boolean'])
      expect((await described('of_flags')).columns[1]?.kind).toBe('integer')
      const found = []
      const columns = ['id', 'twin', 'flag', 'bit_flag']
      for await (const rows of connection.read({ collection: 'flags', columns, anyOf: [group('id', 1, 2)] }))
        found.push(...rows)
      expect(found).toEqual([
        [1, 1, true, true],
        [2, 0, 2, false],
      ])
    })

    if (kind === 'mariadb')
      it('a check among others makes a document', async () => {
        await database.run(`create table checked (id int primary key, plain json, own longtext check (json_valid(own) and
          length(own) < 99), maybe longtext, other longtext, check (maybe is null or json_valid(maybe)),
          check (other = '' or json_valid(other)))`)
        const kinds = (await described('checked')).columns.map(({ kind }) => kind)
        expect(kinds).toEqual(['integer', 'object', 'object', 'object', 'string'])
      })

    it('generated and invisible columns, labels and lengths are described', async () => {
      await database.run(
        `create table columns_of (id bigint unsigned primary key, name varchar(20) default (concat('a', 'b')),
          made varchar(40) as (concat(name, '!')) virtual, kept varchar(40) as (concat(name, '?')) stored,
          hidden varchar(5) invisible, mood enum('it''s', 'b') not null, flags set('a', 'b'), doc json, day date,
          changed timestamp default current_timestamp on update current_timestamp,
          key (name, id), unique key part (name(3)), unique key whole (hidden))`,
        `create table same_name (id int primary key, doc longtext)`,
        'insert into columns_of (id, name, mood, hidden) values (1, "ann", "b", "h")',
      )
      const table = await described('columns_of')
      const columns = Object.fromEntries(table.columns.map(({ name, ...column }) => [name, column]))
      expect(columns).toMatchObject({
        id: { kind: 'integer', nullable: false },
        name: { kind: 'string', length: 20, foldedIndex: 'case' },
        made: { generated: true, rewritten: true },
        kept: { generated: true, rewritten: true },
        changed: { rewritten: true },
        hidden: { kind: 'string', length: 5 },
        mood: { kind: 'string', values: ["it's", 'b'] },
        doc: { kind: 'object' },
        day: { kind: 'date' },
      })
      expect(columns['name']?.generated).toBeUndefined()
      expect(columns['flags']?.kind).toBeUndefined()
      expect(table.primaryKey).toEqual(['id'])
      // the first letters of a text tell no rows apart
      expect(table.uniqueKeys).toEqual([['hidden']])
      const [, plain] = (await described('same_name')).columns
      expect(plain?.kind).toBe('string')
      const erase = { ...masking('columns_of', 1), set: [{ column: 'made', to: 'x' }] }
      await expect(connection.erase?.(erase)).rejects.toMatchObject({ details: { reason: 'refused', column: 'made' } })
      await connection.erase?.({ ...masking('columns_of', 1), set: [{ column: 'hidden', to: 'x' }] })
      expect(await database.rows('select hidden, made from columns_of')).toEqual([['x', 'ann!']])
    })

    it('views say what they show, whether they can be written, and whether they depend on the user', async () => {
      await database.run(
        'create table shown (id int primary key, name varchar(20))',
        `insert into shown values (1, 'ann'), (2, 'bob')`,
        'create view simple as select id, name from shown where id > 0',
        'create view nested as select id, name from simple',
        `create view counted as select count(*) as n, 'from \`a\`.\`b\`' as words from shown`,
        `create view mine as select id, name from shown where name = substring_index(current_user(), '@', 1)`,
      )
      expect((await described('simple')).view).toEqual({ writable: true, shows: ['shown'] })
      expect((await described('nested')).view).toEqual({ writable: true, shows: ['shown'] })
      expect((await described('counted')).view).toEqual({ writable: false, shows: ['shown'] })
      expect((await described('mine')).hidesRows).toBe(true)
      expect((await described('simple')).hidesRows).toBeUndefined()
      await connection.erase?.(masking('nested', 1))
      expect(await names('shown')).toEqual([['x'], ['bob']])
      const counted = connection.erase?.({
        ...masking('counted', 1),
        key: ['n'],
        anyOf: [group('n', 2)],
        keys: [[2]],
        set: [{ column: 'words', to: 'x' }],
      })
      await expect(counted).rejects.toMatchObject({ details: { reason: 'refused' } })
    })

    it.each(kind === 'mysql' ? ['MyISAM', 'MEMORY'] : ['MyISAM', 'Aria', 'MEMORY'])(
      'a table of %s is counted first, never tried, and said to have no transactions',
      async (engine) => {
        const table = `alone_${engine.toLowerCase()}`
        await database.run(
          `create table ${table} (id int, name varchar(20)) engine = ${engine}`,
          `insert into ${table} values (1, 'ann'), (2, 'bob'), (2, 'bob'), (3, 'cay')`,
        )
        expect((await described(table)).writeLimits).toEqual(['transactions', 'row_locks'])
        const tried = connection.erase?.(masking(table, 1), { rollBack: true })
        await expect(tried).rejects.toMatchObject({ code: 'unsupported', details: { feature: 'transactions' } })
        // two rows have the key 2: nothing is written, not even the other row
        await expect(connection.erase?.(masking(table, 1, 2))).rejects.toMatchObject({
          details: { reason: 'ambiguous_rows' },
        })
        const refusal = new PrivacyError('unavailable', 'another worker took over')
        const fence = { lock: `fence-${table}`, confirm: () => Promise.reject(refusal) }
        await expect(connection.erase?.(masking(table, 1), { fence })).rejects.toBe(refusal)
        expect(await names(table)).toEqual([['ann'], ['bob'], ['bob'], ['cay']])
        const pointers = [{ count: { collection: table, group: group('id', 2) }, most: [1] }]
        await expect(connection.erase?.({ ...masking(table, 1), pointers })).rejects.toMatchObject({
          details: { reason: 'shared_since' },
        })
        expect((await names(table))[0]).toEqual(['ann'])
        const seen: unknown[] = []
        const confirmed = { lock: `fence-${table}`, confirm: async () => void seen.push(await names(table)) }
        await connection.erase?.(masking(table, 1), { fence: confirmed })
        // the fence was confirmed before the write
        expect(seen).toEqual([[['ann'], ['bob'], ['bob'], ['cay']]])
        expect((await names(table))[0]).toEqual(['x'])
      },
    )

    it.each(['InnoDB', 'MyISAM'])(
      'a key that became ambiguous since it was described erases nothing, in %s',
      async (engine) => {
        const table = `twins_${engine.toLowerCase()}`
        await database.run(
          `create table ${table} (id int not null, name varchar(20), unique key one (id)) engine = ${engine}`,
          `insert into ${table} values (1, 'ann')`,
        )
        await described(table)
        await database.run(`alter table ${table} drop key one`, `insert into ${table} values (1, 'bob')`)
        for (const erase of [masking(table, 1), { ...masking(table, 1), set: 'delete' as const }])
          await expect(connection.erase?.(erase)).rejects.toMatchObject({ details: { reason: 'ambiguous_rows' } })
        expect(await names(table)).toEqual([['ann'], ['bob']])
      },
    )

    // MariaDB tells nothing of such an engine.
    if (kind === 'mysql')
      it('an engine that changes no row is unwritable', async () => {
        await database.run('create table kept (id int) engine = archive')
        expect((await described('kept')).unwritable).toContain('ARCHIVE')
      })

    it('foreign keys of another database are incoming, and never switched off', async () => {
      await database.run(
        'create table owner (id int primary key, name varchar(20))',
        `insert into owner values (1, 'ann'), (2, 'bob')`,
      )
      await other.run(
        `create table pet (id int primary key, owner_id int, constraint pet_owner foreign key (owner_id) references ${database.name}.owner (id))`,
        'insert into pet values (1, 1)',
      )
      expect((await described('owner')).incomingForeignKeys).toEqual([
        {
          ...{ name: 'pet_owner', schema: other.name, collection: 'pet', columns: ['owner_id'], references: ['id'] },
          onDelete: 'no action',
        },
      ])
      const away = await other.connect()
      const { collections } = await away.describe()
      expect(collections[0]?.foreignKeys[0]?.references).toEqual({
        schema: database.name,
        collection: 'owner',
        columns: ['id'],
      })
      const deleted = connection.erase?.({ ...masking('owner', 1, 2), set: 'delete' })
      await expect(deleted).rejects.toMatchObject({ details: { reason: 'refused', constraint: 'pet_owner' } })
      expect(await names('owner')).toEqual([['ann'], ['bob']])
    })

    it('foreign keys are known to users with rights on tables alone, or with SELECT alone', async () => {
      await database.run(
        'create table keeper (id varchar(20) primary key)',
        'create table bird (id int primary key, keeper_id varchar(20), constraint bird_keeper foreign key (keeper_id) references keeper (id) on delete cascade)',
      )
      const user = `${database.name}_few`
      const known = async (...grants: readonly string[]) => {
        await database.run(`create user ${user} identified by 'few'`, ...grants.map((rights) => `${rights} to ${user}`))
        try {
          const { collections } = await (await database.connect({}, { user, password: 'few' })).describe()
          return collections.find(({ name }) => name === 'bird')?.foreignKeys
        } finally {
          await database.run(`drop user ${user}`)
        }
      }
      const { name } = database
      const references = { collection: 'keeper', columns: ['id'] }
      // MariaDB does not say what a deletion does to such rows, so that it is taken for more than nothing
      const onDelete = kind === 'mysql' ? 'cascade' : expect.stringMatching(/^(?:cascade|set default)$/)
      const key = expect.objectContaining({ columns: ['keeper_id'], references, loose: true, onDelete })
      expect(await known(`grant select on ${name}.*`)).toEqual([key])
      expect(await known(`grant select, update on ${name}.bird`, `grant select, update on ${name}.keeper`)).toEqual([
        key,
      ])
    })

    it('a view whose statement the user may not see may hide rows, and a name in it is no text', async () => {
      await database.run(
        "create table `it's` (id int primary key, owner varchar(20))",
        "create view `theirs` as select id from `it's` where owner = substring_index(user(), '@', 1)",
        "create view plain as select id from `it's`",
        'create view outer_view as select id from plain where current_user() is not null',
      )
      const user = `${database.name}_seer`
      await database.run(`create user ${user} identified by 'few'`)
      const told = async (name: string, ...grants: readonly string[]) => {
        await database.run(...grants.map((rights) => `grant ${rights} to ${user}`))
        const { collections } = await (await database.connect({}, { user, password: 'few' })).describe()
        const { hidesRows, policiesUnknown, view } = collections.find((each) => each.name === name) ?? {}
        return { hidesRows, policiesUnknown, shows: view?.shows }
      }
      const on = (name: string) => `${database.name}.${name}`
      try {
        const unknown = { hidesRows: true, policiesUnknown: true, shows: undefined }
        expect(await told('theirs', `select on ${on('theirs')}`)).toEqual(unknown)
        const both = [`select on ${on('plain')}`, `select, show view on ${on('outer_view')}`]
        // what its own statement says is known, whatever lies behind
        expect(await told('outer_view', ...both)).toEqual({ ...unknown, policiesUnknown: undefined })
        expect(await told('theirs', `select, show view on ${database.name}.*`)).toEqual({
          ...{ hidesRows: true, policiesUnknown: undefined, shows: ["it's"] },
        })
        expect(await told('plain')).toEqual({ shows: ["it's"] })
      } finally {
        await database.run(`drop user ${user}`)
      }
    })

    it('a cascading foreign key that came meanwhile keeps rows from being deleted', async () => {
      await database.run(
        'create table parent (id int primary key, name varchar(20))',
        `insert into parent values (1, 'ann')`,
      )
      const { referencedBy } = await described('parent')
      expect(referencedBy).toBe('')
      await other.run(
        `create table child (id int primary key, parent_id int, constraint child_parent foreign key (parent_id) references ${database.name}.parent (id) on delete cascade)`,
        'insert into child values (1, 1)',
      )
      const erase = { ...masking('parent', 1), set: 'delete' as const }
      await expect(connection.erase?.({ ...erase, referencedBy: '' })).rejects.toMatchObject({
        details: { reason: 'referenced_since' },
      })
      expect(await other.rows('select count(*) from child')).toEqual([[1]])
      const now = await described('parent')
      await connection.erase?.({ ...erase, referencedBy: now.referencedBy as string })
      expect(await other.rows('select count(*) from child')).toEqual([[0]])
    })

    it('all of many cascading foreign keys are compared', async () => {
      const long = 'x'.repeat(50)
      const child = (at: number) =>
        `create table z${at} (id int primary key, hub_id int, constraint z${at}_${long} foreign key (hub_id) references hub (id) on delete cascade)`
      await database.run(
        'create table hub (id int primary key, name varchar(20))',
        `insert into hub values (1, 'ann')`,
        ...Array.from({ length: 20 }, (_, at) => child(at + 10)),
      )
      const { referencedBy } = await described('hub')
      await database.run(child(99), 'insert into z99 values (1, 1)')
      const erase = { ...masking('hub', 1), set: 'delete' as const, referencedBy: referencedBy as string }
      await expect(connection.erase?.(erase)).rejects.toMatchObject({ details: { reason: 'referenced_since' } })
      expect(await database.rows('select count(*) from z99')).toEqual([[1]])
    })

    it('a trigger that refuses is named without its words, and one that puts a value back is no failure', async () => {
      await database.run(
        'create table watched (id int primary key, name varchar(20))',
        `insert into watched values (1, 'ann'), (2, 'bob')`,
        `create trigger watching before update on watched for each row
          if old.id = 1 then signal sqlstate '45000' set message_text = 'Column ''ann@example.com'' cannot be null';
          else set new.name = old.name; end if`,
      )
      const refused = connection.erase?.(masking('watched', 1, 2))
      await expect(refused).rejects.toMatchObject({ details: { reason: 'refused' } })
      await expect(refused).rejects.not.toThrow(/ann@/)
      await connection.erase?.(masking('watched', 2))
      expect(await names('watched')).toEqual([['ann'], ['bob']])
    })

    it('partitioned tables are one table, and a key of two columns names a row', async () => {
      await database.run(
        `create table parts (id int, region int, name varchar(20), primary key (id, region)) partition by hash (region) partitions 4`,
        `insert into parts values (1, 1, 'ann'), (1, 2, 'bob'), (2, 1, 'cay')`,
      )
      expect((await described('parts')).primaryKey).toEqual(['id', 'region'])
      await connection.erase?.({
        ...masking('parts'),
        key: ['id', 'region'],
        keys: [
          [1, 2],
          [1, 1],
        ],
        anyOf: [group('name', 'ann', 'cay')],
      })
      expect(await database.rows('select id, region, name from parts order by 1, 2')).toEqual([
        [1, 1, 'x'],
        [1, 2, 'bob'],
        [2, 1, 'x'],
      ])
    })

    it('names are those of the server, whatever their case', async () => {
      await database.run(
        'create table `Odd``Name` (`Id` int primary key, `na``me` varchar(9))',
        "insert into `Odd``Name` values (1, 'a')",
      )
      const table = await described('Odd`Name')
      expect(table.columns.map(({ name }) => name)).toEqual(['Id', 'na`me'])
      await connection.erase?.({
        collection: 'Odd`Name',
        key: ['Id'],
        keys: [[1]],
        anyOf: [group('Id', 1)],
        set: [{ column: 'na`me', to: 'x' }],
      })
      expect(await database.rows('select * from `Odd``Name`')).toEqual([[1, 'x']])
      const missing = connection.count([{ collection: 'odd`name', anyOf: [group('Id', 1)] }])
      await expect(missing).rejects.toMatchObject({ details: { reason: 'missing_collection' } })
    })

    if (kind === 'mysql')
      it('an invisible key that the server adds to a table names its rows', async () => {
        await database.run(
          'set sql_generate_invisible_primary_key = 1',
          'create table unkeyed (name varchar(20))',
          'set sql_generate_invisible_primary_key = 0',
          `insert into unkeyed values ('ann'), ('ann'), ('bob')`,
        )
        expect((await described('unkeyed')).primaryKey).toEqual(['my_row_id'])
        await connection.erase?.({
          ...masking('unkeyed'),
          key: ['my_row_id'],
          keys: [[2]],
          anyOf: [group('name', 'ann')],
        })
        expect(await database.rows('select name from unkeyed order by my_row_id')).toEqual([['ann'], ['x'], ['bob']])
      })

    if (kind === 'mariadb')
      it('a system-versioned table keeps its history, and its period is no part of its key', async () => {
        await database.run(
          'create table versioned (id int primary key, name varchar(20)) with system versioning',
          `create table periods (id int primary key, name varchar(20), since timestamp(6) generated always as row start,
            until timestamp(6) generated always as row end, period for system_time (since, until)) with system versioning`,
          `insert into versioned values (1, 'ann')`,
          `insert into periods (id, name) values (1, 'ann')`,
          'create sequence numbers',
        )
        const table = await described('versioned')
        expect(table.keptIn).toEqual([{ name: `${database.name}.versioned`, kind: 'history' }])
        const periods = await described('periods')
        expect(periods.primaryKey).toEqual(['id'])
        expect(periods.columns.find(({ name }) => name === 'until')?.generated).toBe(true)
        expect(await described('numbers')).toBeUndefined()
        for (const name of ['versioned', 'periods']) await connection.erase?.(masking(name, 1))
        expect(await names('versioned')).toEqual([['x']])
        expect(await database.rows('select name from versioned for system_time all order by name')).toEqual([
          ['ann'],
          ['x'],
        ])
      })
  })
}
