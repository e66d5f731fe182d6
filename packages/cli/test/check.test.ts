import { beforeAll, describe, expect, it } from 'vitest'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const { folder, query } = postgresShop(shopFiles)
const check = (...args: string[]) => folder.run(['check', ...args])

/** Runs with more in the database than the files say, and takes it away again. */
async function beside<Result>(made: string, gone: string, work: () => Promise<Result>): Promise<Result> {
  await query(made)
  try {
    return await work()
  } finally {
    await query(gone)
  }
}

/** Runs with another text of a file. */
async function written<Result>(from: string, to: string, work: () => Promise<Result>): Promise<Result> {
  const before = folder.read('habeas/shop.yml')
  folder.replace('habeas/shop.yml', from, to)
  try {
    return await work()
  } finally {
    folder.write('habeas/shop.yml', before)
  }
}

beforeAll(() => query(...shopTables))

const lastField = '          - { name: body, data_categories: [user] }\n'
const parcelTable = 'create table parcel (id int primary key, order_id int references orders)'
const scanTable = 'create table scan (id int primary key, parcel_id int references parcel, place text)'

describe('a table that leads to a customer through two joins', () => {
  const parcels = <Result>(work: () => Promise<Result>) =>
    beside(`${parcelTable}; ${scanTable}`, 'drop table scan, parcel', work)
  const waived = (rest: string) =>
    `${lastField}${['parcel', 'scan'].map((name) => `      - { name: ${name}, service_meta: { waived: { reason: it is emptied every night${rest} } } }\n`).join('')}`

  it('fails the check, which names the way from it to the customer', async () => {
    const { exitCode, stdout, stderr } = await parcels(() => check())
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^coverage shop:scan: .*\[scan\.parcel_id → .*order_id → .*customer_id → shop:customer\]$/m)
    expect(stderr).toBe("2 problems. 'habeas draft' describes new tables and columns.\n")
  })

  it('passes once a reason is given', async () => {
    expect(await parcels(() => written(lastField, waived(''), check))).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Everything that keys and names show is described and decided.\n',
    })
  })

  it('fails when the last day of the reason has passed', async () => {
    const { exitCode, stdout } = await parcels(() => written(lastField, waived(', until: 2020-01-31'), check))
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^coverage shop:parcel: .*2020-01-31/m)
    expect(stdout).toMatch(/^coverage shop:scan: .*2020-01-31/m)
  })

  it('passes where no database is asked', async () => {
    expect(await parcels(() => check('--no-coverage'))).toMatchObject({
      ...{ exitCode: 0, stdout: '' },
      stderr:
        'The files have no problem. No database was asked: what they leave out, and what is open, is not known.\n',
    })
  })
})

it('a column that was removed fails the check', async () => {
  const { exitCode, stdout } = await beside(
    'alter table customer drop column street',
    'alter table customer add column street text',
    check,
  )
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^coverage shop:customer\.street: /m)
})

it('a new column of a person fails the check', async () => {
  const { exitCode, stdout } = await beside(
    'alter table customer add column nickname text',
    'alter table customer drop column nickname',
    check,
  )
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^coverage shop:customer\.nickname: /m)
})

it('a foreign key that is described without a reference is told once, with its path', async () => {
  const before = folder.read('habeas/shop.yml')
  folder.write(
    'habeas/shop.yml',
    before.replace('      - name: review', '          - { name: gift_for }\n      - name: review'),
  )
  const { exitCode, stdout } = await beside(
    'alter table orders add column gift_for int references customer',
    'alter table orders drop column gift_for',
    check,
  )
  folder.write('habeas/shop.yml', before)
  expect(exitCode).toBe(1)
  expect(stdout.match(/orders\.gift_for: /g)).toHaveLength(1)
  expect(stdout).toMatch(/^coverage shop:orders\.gift_for: /m)
})

it('a new view over personal columns fails the check', async () => {
  const { exitCode, stdout } = await beside(
    'create view mailing as select email, name from customer',
    'drop view mailing',
    check,
  )
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^coverage shop:mailing: /m)
})

describe('in another schema', () => {
  const crm = <Result>(made: string, work: () => Promise<Result>, gone = '') =>
    beside(`create schema crm; ${made}`, `${gone} drop schema crm cascade`, work)
  const waived = (name: string) =>
    `${lastField}      - { name: ${name}, service_meta: { waived: { reason: another team answers for it } } }\n`

  it.each([
    [
      'a table that inherits',
      'create table crm.kid (extra text) inherits (public.orders)',
      'crm.kid inherits from shop:orders.customer_id → shop:customer',
    ],
    [
      'a materialized view',
      'create materialized view crm.kid as select id as a, email as b from customer',
      'crm.kid shows shop:customer',
    ],
    [
      'a materialized view over a view there',
      'create view crm.v as select name as b from customer; create materialized view crm.kid as select b from crm.v',
      'crm.kid shows shop:customer',
    ],
  ])('%s fails the check until it is waived', async (_, made, path) => {
    const { exitCode, stdout } = await crm(made, check)
    expect(exitCode).toBe(1)
    expect(stdout).toContain(
      "coverage shop:crm.kid: Nobody has described 'crm.kid', and its rows lead to a person: describe it behind a connection of its own, whose db_schema is 'crm', or waive it in the dataset 'shop'",
    )
    expect(stdout).toContain(`[${path}]`)
    expect(await crm(made, () => written(lastField, waived('crm.kid'), check))).toMatchObject({
      exitCode: 0,
      stdout: '',
    })
  })

  it('a table is no end of the path from a table here to a person', async () => {
    const made = `create table crm.account (id int primary key, cid int references customer);
      create table ticket (id int primary key, acc int references crm.account, t text)`
    const { exitCode, stdout } = await crm(
      made,
      () => written(lastField, waived('crm.account'), check),
      'drop table ticket;',
    )
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^coverage shop:ticket: .*\[ticket\.acc → crm\.account\.cid → shop:customer\]$/m)
  })

  it('a view alone is no problem, and the schema is named', async () => {
    const { exitCode, stdout, stderr } = await crm('create view crm.v as select email as b from customer', check)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    expect(stderr).toContain("its database has tables or views in the schemas 'crm'")
  })
})

describe('a misspelt member', () => {
  const misspelt = <Result>(work: () => Promise<Result>) =>
    written(lastField, lastField.replace('data_categories', 'data_categoris'), work)
  const place = `habeas/shop.yml:${shopFiles['habeas/shop.yml'].split('\n').findIndex((each) => each.includes('name: body')) + 1}:27`
  const said = `${place}: collections.2.fields.2.data_categoris is not known here and was ignored: the nearest known name is 'data_categories'.`

  it('fails the check, which names its place', async () => {
    const { exitCode, stdout } = await misspelt(() => check('--no-coverage'))
    expect(stdout.split('\n')).toContain(`manifest ${said}`)
    expect(exitCode).toBe(1)
  })

  it.each([
    [['push', '--dry-run']],
    [['evaluate']],
    [['datamap']],
    [['plan', '-i', 'email=ann@example.com']],
    [['draft']],
  ])('%j says it', async (args) => {
    const { stderr } = await misspelt(() => folder.run(args))
    expect(stderr.split('\n')).toContain(said)
  })
})

it('a key of the older form is no problem', async () => {
  const { exitCode, stdout } = await written('service_key: shop', 'fides_key: shop', check)
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
})

it('a policy that a system violates fails the check, which says what to change', async () => {
  folder.write(
    'habeas/rules.yml',
    `policy:
  - service_key: no_advertising
    rules:
      - service_key: contacts
        data_categories: { matches: ANY, values: [user.contact] }
        data_uses: { matches: ANY, values: [advertising] }
system:
  - service_key: web_shop
    system_type: Service
    privacy_declarations:
      - { name: Newsletter, data_use: advertising.first_party, data_categories: [user.contact.email], data_subjects: [customer] }
`,
  )
  try {
    const { exitCode, stdout } = await check()
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^policy web_shop, Newsletter: .* prohibits: /m)
    const evaluated = await folder.run(['evaluate', 'no_advertising'])
    expect(evaluated).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^FAIL no_advertising\n {2}Declaration/),
    })
  } finally {
    folder.remove('habeas/rules.yml')
  }
})

describe('what a policy can say nothing about', () => {
  const rules = (keys: readonly string[]) =>
    `policy: [${keys.map((key) => `{ service_key: ${key}, rules: [{ service_key: r, data_uses: { values: [] } }, { service_key: ads, data_uses: { values: [advertising] } }] }`).join(', ')}]
system:
  - service_key: web_shop
    system_type: Service
    privacy_declarations: [{ name: Orders, data_categories: [user], dataset_references: [shop] }]
`
  const unsaid =
    "Declaration 'Orders' of system 'web_shop' has no data_use, so no rule that names any matches it: add data_use."
  const withRules = async <Result>(keys: readonly string[], work: () => Promise<Result>) => {
    folder.write('habeas/rules.yml', rules(keys))
    try {
      return await work()
    } finally {
      folder.remove('habeas/rules.yml')
    }
  }
  const empty = (key: string) =>
    `policy ${key}: Rule 'r' of policy '${key}' has no values in data_uses, so it prohibits nothing: name some.`

  it('is noted, and fails no check', async () => {
    const { exitCode, stdout, stderr } = await withRules(['no_ads'], check)
    expect(stderr.split('\n').slice(0, 2)).toEqual([empty('no_ads'), `policy no_ads: ${unsaid}`])
    expect([exitCode, stdout]).toEqual([0, ''])
  })

  it('is noted once where several policies are about it, and in --json', async () => {
    const { exitCode, stdout } = await withRules(['no_ads', 'no_spam'], () => check('--no-coverage', '--json'))
    expect(JSON.parse(stdout)).toEqual({
      problems: [],
      notes: [empty('no_ads'), `policies no_ads, no_spam: ${unsaid}`, empty('no_spam')],
    })
    expect(exitCode).toBe(0)
  })
})

it('keys in systems and policies that do not exist fail the check', async () => {
  folder.write(
    'habeas/rules.yml',
    `policy:
  - service_key: ads
    rules: [{ service_key: r, action_type: access, data_categories: { values: [user.kontact] } }]
system:
  - service_key: web_shop
    system_type: Service
    egress: [{ service_key: parcels, type: system }]
    privacy_declarations:
      - { name: Orders, data_use: markting, data_categories: [user], data_subjects: [custmer], dataset_references: [shop, shopp] }
`,
  )
  const { exitCode, stdout } = await check('--json', '--no-coverage')
  folder.remove('habeas/rules.yml')
  const { problems } = JSON.parse(stdout)
  expect(problems.map(({ of, place }: { of: string; place: string }) => [of, place])).toEqual([
    ['finding', 'web_shop:privacy_declarations.0.data_use'],
    ['finding', 'web_shop:privacy_declarations.0.data_subjects.0'],
    ['finding', 'web_shop:privacy_declarations.0.dataset_references.1'],
    ['finding', 'web_shop:egress.0.service_key'],
    ['finding', 'ads:rules.0.data_categories.values.0'],
  ])
  expect(exitCode).toBe(1)
})

describe('where a pull request is checked', () => {
  const env = { GITHUB_ACTIONS: 'true' }

  it('each problem is an annotation at its line', async () => {
    const { exitCode, stdout } = await written('identity: email', 'identity: [email]', () =>
      folder.run(['check'], { env }),
    )
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(
      /^::error file=habeas\/shop\.yml,line=\d+,col=\d+,title=habeas manifest::habeas\/shop\.yml:/m,
    )
  })

  it('no text of a file ends an annotation or begins another', async () => {
    const odd = '"100%\\n::error::boo"'
    const { stdout } = await written('name: street', `name: ${odd}`, () => folder.run(['check'], { env }))
    const annotations = stdout.split('\n').filter((line) => line.startsWith('::error'))
    expect(annotations.join('\n')).toContain('100%25%0A')
    for (const each of annotations) expect(each).toMatch(/^::error title=habeas \w+::\w/)
    expect(stdout).not.toMatch(/^::error::/m)
  })
})

it('--json gives all of it as JSON, and nothing else', async () => {
  const { exitCode, stdout, stderr } = await beside(`${parcelTable}`, 'drop table parcel', () => check('--json'))
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    problems: [
      {
        of: 'coverage',
        place: 'shop:parcel',
        message: expect.any(String),
        path: expect.stringContaining('shop:customer'),
        next: 'draft',
      },
    ],
    notes: [],
  })
  expect(stderr).toMatch(/^1 problem\./)
})

it('a connection that no dataset describes fails the check', async () => {
  const before = folder.read('habeas/shop.yml')
  folder.remove('habeas/shop.yml')
  const { exitCode, stdout, stderr } = await check()
  folder.write('habeas/shop.yml', before)
  expect(stdout).toContain("coverage shop: No dataset describes the connection 'shop'")
  expect(stderr).toContain("'habeas draft'")
  expect(exitCode).toBe(1)
})

it('a policy that cannot be evaluated is one problem among the others', async () => {
  folder.write(
    'habeas/policy.yml',
    'policy: [{ service_key: none, rules: [{ service_key: r, data_uses: { values: [marketing] } }] }]\n',
  )
  const { exitCode, stdout } = await written(lastField, '          - { name: body }\n', () => check('--json'))
  folder.remove('habeas/policy.yml')
  expect(JSON.parse(stdout).problems.map(({ of, place }: { of: string; place: string }) => [of, place])).toEqual([
    ['coverage', 'shop:review.body'],
    ['finding', 'none:rules.0.data_uses.values.0'],
    ['policy', 'none'],
  ])
  expect(exitCode).toBe(1)
})

it('an undecided category is told beside a question about the same field', async () => {
  const email = `service_meta: { identity: email, data_type: string }
            data_categories: [user.contact.email]`
  const { stdout } = await written(email, 'service_meta: { data_type: string }', () => check('--json'))
  const { problems } = JSON.parse(stdout)
  const ofEmail = problems.filter(({ place }: { place: string }) => place === 'shop:customer.email')
  expect(ofEmail.map(({ of }: { of: string }) => of)).toEqual(['coverage', 'question'])
})

describe('what is compared with no database', () => {
  const paper = 'dataset: [{ service_key: paper, collections: [{ name: forms, fields: [{ name: id }] }] }]\n'
  const withPaper = async <Result>(work: () => Promise<Result>) => {
    folder.write('habeas/paper.yml', paper)
    try {
      return await work()
    } finally {
      folder.remove('habeas/paper.yml')
    }
  }

  it('is noted where a dataset lies behind no connection, and hides no problem of the others', async () => {
    const note = /^The dataset 'paper' is linked to no connection, so no database is compared with it: .*\n/
    const fine = await withPaper(check)
    expect(fine).toMatchObject({ exitCode: 0, stdout: '', stderr: expect.stringMatching(note) })
    const { exitCode, stdout, stderr } = await beside(parcelTable, 'drop table parcel', () =>
      withPaper(() => check('--json')),
    )
    expect(JSON.parse(stdout).problems.map(({ place }: { place: string }) => place)).toEqual(['shop:parcel'])
    expect(stderr).toMatch(note)
    expect(exitCode).toBe(1)
  })

  it('ends the check with 3 where a database could not be read, after the problems that were found', async () => {
    const before = folder.read('habeas.config.ts')
    folder.replace(
      'habeas.config.ts',
      'connections: {',
      "connections: {\n    away: { type: 'postgres', secrets: { url: 'postgres://127.0.0.1:1/away' } },",
    )
    const reference = '{ name: customer_id, service_meta: { references: [{ dataset: shop, field: customer.id }] } }'
    folder.write(
      'habeas/away.yml',
      paper
        .replace('paper,', 'away, connection_key: away,')
        .replace('{ name: id }', `{ name: note, data_categories: [user] }, ${reference}`),
    )
    const { exitCode, stdout, stderr } = await beside(parcelTable, 'drop table parcel', () => check('--json'))
    folder.write('habeas.config.ts', before)
    folder.remove('habeas/away.yml')
    expect(JSON.parse(stdout).problems.map(({ place }: { place: string }) => place)).toEqual(['shop:parcel'])
    expect(stderr).toMatch(/^1 problem\..*\n.*The connection 'away' does not work: Nothing listens/m)
    expect(exitCode).toBe(3)
  })
})

it('files that are not there are no files without problems', async () => {
  folder.write(
    'nowhere.config.ts',
    "import { defineConfig } from '@habeas/cli'\n\nexport default defineConfig({ files: ['nowhere'] })\n",
  )
  const { exitCode, stderr } = await check('--no-coverage', '--config', 'nowhere.config.ts')
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining("no file is where 'files' of the configuration says")])
})
