import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openService } from './open-service.js'
import { type Kind, openDatabase, type TestDatabase } from './servers.js'

/** Foreign keys of tables on which the user of the connection has no right. */
export function hiddenKeysSuite(kind: Kind): void {
  describe(`foreign keys of tables that the user may not see, on ${kind}`, () => {
    let database: TestDatabase
    let other: TestDatabase
    let user: string
    beforeAll(async () => {
      database = await openDatabase(kind)
      other = await openDatabase(kind)
      user = `${database.name}_u`
      await database.run(
        'create table person (id int primary key, email varchar(50), key (email)) engine = InnoDB',
        'create table seen (id int primary key, person_id int, foreign key (person_id) references person (id)) engine = InnoDB',
        `create table hidden (id int primary key, p int,
          constraint hidden_person foreign key (p) references person (id) on update set null) engine = InnoDB`,
        `create table ${other.name}.\`loyal ty$é\` (id int primary key, \`person id\` int, constraint \`of.person\`
          foreign key (\`person id\`) references ${database.name}.person (id) on delete cascade) engine = InnoDB`,
        `insert into person values (1, 'ann@example.com'), (2, 'bob@example.com')`,
        `insert into ${other.name}.\`loyal ty$é\` values (10, 1), (20, 2)`,
        `create user ${user} identified by 'few'`,
        `grant select, update, delete on ${database.name}.person to ${user}`,
        `grant select on ${database.name}.seen to ${user}`,
      )
    })
    afterAll(async () => {
      await database?.run(`drop user ${user}`)
      await other?.close()
      await database?.close()
    })
    const described = async () => {
      const connection = await database.connect({}, { user, password: 'few' })
      const { collections } = await connection.describe()
      const person = collections.find(({ name }) => name === 'person')
      return { keys: person?.incomingForeignKeys ?? [], unknown: person?.referencesUnknown }
    }
    const erased = async () => {
      const url = new URL(database.url)
      Object.assign(url, { username: user, password: 'few' })
      const privacy = await openService(kind, url.href)
      try {
        await privacy.connections.attachDataset('shop', {
          service_key: 'shop',
          collections: [
            {
              name: 'person',
              service_meta: { erase: 'delete' },
              fields: [
                { name: 'id', service_meta: { primary_key: true } },
                { name: 'email', data_categories: ['user'], service_meta: { identity: 'email' } },
              ],
            },
          ],
        })
        const asked = { policyKey: 'erase', identities: [{ email: 'ann@example.com' }] }
        const { plan } = await privacy.requests.preview(asked)
        const { id } = await privacy.requests.submit({ ...asked, acceptUnsearched: true })
        const { status, failure } = await privacy.requests.settled(id)
        return { findings: plan.findings.map(({ type }) => type), status, failure }
      } finally {
        await privacy.close()
      }
    }

    it('are not known without PROCESS, and the plan of an erasure says so', async () => {
      expect(await described()).toEqual({ keys: [], unknown: expect.stringContaining('PROCESS') })
      const privacy = await erased()
      expect(privacy.findings).toContain('unseen_references')
    })

    it('are not known to a user who can read the rights of root', async () => {
      await database.run(`grant select on mysql.* to ${user}`)
      try {
        expect(await described()).toEqual({ keys: [], unknown: expect.stringContaining('PROCESS') })
      } finally {
        await database.run(`revoke select on mysql.* from ${user}`)
      }
    })

    it('are named with PROCESS, and keep rows from being deleted', async () => {
      await database.run(
        'delete from person where id = 1',
        `insert into person values (1, 'ann@example.com')`,
        `replace into ${other.name}.\`loyal ty$é\` values (10, 1), (20, 2)`,
        `grant process on *.* to ${user}`,
      )
      try {
        const { keys, unknown } = await described()
        expect(unknown).toBeUndefined()
        expect(keys.toSorted((one, another) => (one.name < another.name ? -1 : 1))).toEqual([
          {
            ...{
              name: 'hidden_person',
              schema: database.name,
              collection: 'hidden',
              columns: ['p'],
              references: ['id'],
            },
            ...{ onDelete: 'no action', onUpdate: 'set null' },
          },
          {
            ...{ name: 'of.person', schema: other.name, collection: 'loyal ty$é', columns: ['person id'] },
            ...{ references: ['id'], onDelete: 'cascade' },
          },
        ])
        const { findings, status, failure } = await erased()
        expect(findings).not.toContain('unseen_references')
        expect(status).toBe('error')
        expect(failure).toContain("Rows of 'shop:person' cannot be deleted")
        expect(await database.rows(`select id from ${other.name}.\`loyal ty$é\` order by id`)).toEqual([[10], [20]])
        expect(await database.rows('select id from person order by id')).toEqual([[1], [2]])
      } finally {
        await database.run(`revoke process on *.* from ${user}`)
      }
    })

    it('are none for a user who sees every table', async () => {
      const { collections } = await (await database.connect()).describe()
      const person = collections.find(({ name }) => name === 'person')
      expect(person?.referencesUnknown).toBeUndefined()
      expect(person?.incomingForeignKeys?.map(({ name }) => name)).toEqual(['of.person'])
    })
  })
}
