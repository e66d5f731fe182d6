import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { answers } from './first-commands.js'
import { keys, onTerminal } from './key-presses.js'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const shop = postgresShop({ 'habeas.config.ts': shopFiles['habeas.config.ts'] })
const { folder, query } = shop
const file = 'habeas/shop.yml'
const answering = () => onTerminal(['answer'], folder.path, {})
let drafted = ''

beforeAll(async () => {
  // the configuration reads the environment of the process that loads it
  vi.stubEnv('SHOP_DATABASE_URL', shop.url)
  await query(...shopTables)
  expect(await folder.run(['draft'])).toMatchObject({ exitCode: 0 })
  drafted = folder.read(file)
})
afterEach(() => folder.write(file, drafted))
afterAll(() => {
  vi.unstubAllEnvs()
})

const line = (name: string) =>
  folder
    .read(file)
    .split('\n')
    .find((each) => each.includes(`name: ${name},`)) ?? ''

it('a person answers with keys, and the file says so', async () => {
  const { press, ended } = answering()
  await press('customer.email:identity?', keys.enter)
  await press("Which columns of 'customer'", keys.enter)
  await press("Which columns of 'review'", keys.space, keys.enter)
  await press('Why does body hold no personal data?', ...'it is public', keys.enter)
  // Where nothing is proposed, Enter leaves it open, and the answers come after that.
  await press('What does shop:orders.phone_number say?', keys.down, keys.down, keys.enter)
  await press('What does shop:review.customer_id say?', keys.enter)
  const { exitCode, said } = await ended()
  expect(said).toMatch(/Nothing is open\.\n$/)
  expect(exitCode).toBe(0)
  expect(line('email')).toContain('identity: email')
  expect(line('name')).toContain('data_categories: [ user.name ]')
  expect(line('body')).toContain('waived: { reason: it is public }')
  expect(line('phone_number')).toContain('reviewed: true')
  expect(folder.read(file).split('name: review')[1]).toContain('field: customer.id, direction: from')
})

it('what is left open is listed at the end, and the command ends with 1', async () => {
  const { press, ended } = answering()
  await press('customer.email:identity?', keys.down, keys.down, keys.enter)
  await press("Which columns of 'customer'", keys.enter)
  await press("Which columns of 'review'", keys.enter)
  await press('What does shop:orders.phone_number say?', keys.enter)
  await press('What does shop:orders.customer_id say?', keys.enter)
  await press('What does shop:review.customer_id say?', ...Array(5).fill(keys.down), keys.enter)
  const { exitCode, given } = await ended()
  expect(exitCode).toBe(1)
  expect(given).toContain('--accept customer.email:identity\t')
  expect(line('name')).toContain('data_categories: [ user.name ]')
})

it('Ctrl-C leaves the file alone', async () => {
  const { press, ended } = answering()
  await press('customer.email:identity?', keys.enter)
  await press("Which columns of 'customer'", keys.leave)
  await press('Write down what was answered so far?', keys.leave)
  expect(await ended()).toMatchObject({ exitCode: 2, said: expect.stringContaining('Nothing was changed') })
  expect(folder.read(file)).toBe(drafted)
})

it('Ctrl-C before the first answer asks nothing', async () => {
  const { press, ended } = answering()
  await press('customer.email:identity?', keys.leave)
  expect(await ended()).toMatchObject({ exitCode: 2, said: expect.stringContaining('Nothing was changed') })
})

it('after Ctrl-C, what was answered before can be written down', async () => {
  const { press, ended } = answering()
  await press('customer.email:identity?', keys.enter)
  await press("Which columns of 'customer'", keys.leave)
  await press('Write down what was answered so far?', keys.enter)
  expect(await ended()).toMatchObject({ exitCode: 1, said: expect.stringContaining('habeas/shop.yml is changed.') })
  expect(line('email')).toContain('identity: email')
})

it('without a terminal nobody is asked, and everything that is open is listed as the options take it', async () => {
  const { exitCode, stdout, stderr } = await folder.run(['answer'])
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^--accept customer\.email:identity\t0\.\d+\t/m)
  expect(stdout).toMatch(/^ {2}--say shop:review\.customer_id=from\t/m)
  expect(stderr).toBe('6 questions are open.\n')
  expect(folder.read(file)).toBe(drafted)
})

it('--json lists the same', async () => {
  const { exitCode, stdout } = await folder.run(['answer', '--json'])
  expect(exitCode).toBe(1)
  const [{ dataset, proposals, open }] = JSON.parse(stdout).datasets
  expect(dataset).toBe('shop')
  expect(proposals.map(({ id }: { id: string }) => id)).toContain('customer.email:identity')
  expect(open.map(({ name }: { name: string }) => name)).toContain('shop:review.customer_id')
})

it('--json gives JSON alone where answers are written', async () => {
  const { exitCode, stdout, stderr } = await folder.run(['answer', '--json', ...answers])
  expect(exitCode).toBe(0)
  expect(JSON.parse(stdout)).toEqual({ datasets: [{ dataset: 'shop', proposals: [], open: [] }] })
  expect(stderr).toContain('habeas/shop.yml is changed.')
})

it('--refuse with a reason writes the reason down', async () => {
  const { stderr } = await folder.run(['answer', '--refuse', 'review.body:category', '--reason', 'it is public'])
  expect(stderr).toContain('habeas/shop.yml is changed.')
  expect(line('body')).toContain('waived: { reason: it is public }')
})

it.each([
  [
    ['--accept', 'customer.emial:identity'],
    "is called 'customer.emial:identity': the nearest known name is 'customer.email:identity'.",
  ],
  [
    ['--say', 'review.custmer_id=from'],
    "is called 'review.custmer_id': the nearest known name is 'review.customer_id'.",
  ],
  [['--accept', 'customer.email'], "is called 'customer.email': there is '--accept customer.email:identity'"],
  [['--refuse', 'shop:customer.email:identty'], "there is '--accept customer.email:identity'"],
  [['--say', 'review.customer_id@custmer=from'], "there is '--say shop:review.customer_id=…'"],
  [
    ['--say', 'shop:customer.id=from'],
    "is called 'shop:customer.id': it is answered already, in habeas/shop.yml, where another answer can be written.",
  ],
  [['--say', 'shop:review.customer_id=me'], "'me' is no answer to shop:review.customer_id. There are: from, both"],
])('%j is refused with what there is', async (args, message) => {
  const { exitCode, stderr } = await folder.run(['answer', ...args])
  expect(exitCode).toBe(2)
  expect(stderr).toContain(message)
  expect(folder.read(file)).toBe(drafted)
})

it('a question that is answered already is told with its file, and not with the name of another question', async () => {
  await folder.run(['answer', '--say', 'shop:review.customer_id=from'])
  const before = folder.read(file)
  const { exitCode, stderr } = await folder.run(['answer', '--say', 'shop:review.customer_id=to'])
  expect(stderr).toContain("is called 'shop:review.customer_id': it is answered already, in habeas/shop.yml, ")
  expect(stderr).not.toContain('nearest')
  expect(exitCode).toBe(2)
  expect(folder.read(file)).toBe(before)
})

it('a field of which nothing is asked is no question that was answered', async () => {
  folder.write(file, drafted.replace(/( *)- name: review\n/, '$1- { name: plain, fields: [{ name: colour }] }\n$&'))
  expect((await folder.run(['answer', '--say', 'plain.colour=from'])).stderr).toContain(
    'nothing is asked of this field, and habeas/shop.yml takes what is to be said of it',
  )
})

it('in the configuration that init writes, a reference is asked about though nothing but its owner can be meant', async () => {
  const config = folder.read('habeas.config.ts')
  await query(
    'create table parcel (id int primary key, customer_id int not null references customer (id), street varchar(100))',
  )
  try {
    folder.remove('habeas.config.ts')
    folder.remove(file)
    await folder.run(['init', '--kind', 'postgres', '--access', 'write'])
    expect(folder.read('habeas.config.ts')).toContain("ownership: 'declared'")
    const { stdout } = await folder.run(['answer'])
    expect(stdout).toMatch(/^shop:parcel\.customer_id is open: nobody has said whose the rows are$/m)
    await folder.run(['answer', '--say', 'shop:parcel.customer_id=from'])
    expect((await folder.run(['answer'])).stdout).not.toContain('shop:parcel.customer_id')
  } finally {
    folder.write('habeas.config.ts', config)
    await query('drop table parcel')
  }
})

it('a key without a foreign key is asked for, and its answer says whose the rows are', async () => {
  await query('create table audit (id int primary key, actor_id int, ip varchar(40))')
  try {
    expect(await folder.run(['draft'])).toMatchObject({ exitCode: 0 })
    await folder.run(['answer', '--accept', 'customer.email:identity'])
    const { stdout } = await folder.run(['answer'])
    expect(stdout).toMatch(/^shop:audit\.actor_id is open: it is named after what somebody does or is/m)
    expect(stdout).toMatch(/^ {2}--say shop:audit\.actor_id=none=shop:customer\.id\t/m)
    await folder.run(['answer', '--say', 'shop:audit.actor_id=from=shop:customer.id'])
    expect(line('actor_id')).toContain('references: [ { dataset: shop, field: customer.id, direction: from } ]')
    expect((await folder.run(['answer'])).stdout).not.toContain('audit.')
  } finally {
    await query('drop table audit')
  }
})

it('a column that may refer to two tables has a question for each, and an answer to one is written to that one', async () => {
  await query(
    'create table staff (id int primary key, email text)',
    'create table memo (id int primary key, subject_type text not null, subject_id int not null, body text)',
  )
  const reference = (collection: string) =>
    `{ dataset: shop, field: ${collection}.id, when: { subject_type: ${collection} } }`
  try {
    await folder.run(['draft'])
    await folder.run(['answer', '--accept', 'customer.email:identity', 'staff.email:identity'])
    const references = `references: [ ${reference('customer')}, ${reference('staff')} ]`
    const [id = ''] = /\{ name: subject_id.*\}/.exec(folder.read(file)) ?? []
    folder.write(file, folder.read(file).replace(id, `{ name: subject_id, service_meta: { ${references} } }`))
    const { stdout } = await folder.run(['answer'])
    expect(stdout).toMatch(/^ {2}--say shop:memo\.subject_id@customer=from\t/m)
    expect(stdout).toMatch(/^ {2}--say shop:memo\.subject_id@staff=none\t/m)
    expect(await folder.run(['answer', '--say', 'memo.subject_id=none'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("say it for each of 'memo.subject_id@customer', 'memo.subject_id@staff'"),
    })
    const said = ['memo.subject_id@staff=none', 'shop:memo.subject_id@customer=from']
    await folder.run(['answer', '--say', ...said])
    const [, memo = ''] = folder.read(file).split('name: memo')
    expect(memo).toMatch(/customer\.id[^[]*?direction: from/)
    expect(memo).toMatch(/staff\.id[^[]*?direction: none/)
    expect(memo.match(/direction:/g)).toHaveLength(2)
  } finally {
    await query('drop table memo, staff')
  }
})

it('a reference over several columns is one name, and the answer that it prints is taken', async () => {
  await query(
    'create table bill (year int, no int, customer_id int not null references customer, primary key (year, no))',
    'create table line (id int primary key, year int, no int, body text, foreign key (year, no) references bill (year, no))',
  )
  try {
    await folder.run(['draft'])
    await folder.run(['answer', '--accept', 'customer.email:identity', '--say', 'bill.customer_id=from'])
    const { stdout } = await folder.run(['answer'])
    expect(stdout).toMatch(/^ {2}--say shop:line\.no\+year=from\t/m)
    await folder.run(['answer', '--say', 'shop:line.no+year=from'])
    expect(folder.read(file).split('name: line')[1]).toContain('direction: from')
    expect((await folder.run(['answer'])).stdout).not.toContain('shop:line.no+year')
  } finally {
    await query('drop table line, bill')
  }
})

it('a person cannot refuse that rows belong to nobody without saying whose they are', async () => {
  await query('create table team (id int primary key, owner_id int not null references customer, name text)')
  try {
    await folder.run(['draft'])
    const proposed = await folder.run(['answer'])
    expect(proposed.stdout).toContain('--accept team:owner')
    const { exitCode, stderr } = await folder.run(['answer', '--refuse', 'team:owner'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain('to refuse it, say whose they are, by a direction of a reference or by an identity.')
  } finally {
    await query('drop table team')
  }
})

it('the value by which a type means a table is asked for, and so are its other values', async () => {
  await query(
    'create table deal (id int primary key, customer_id int not null references customer)',
    'create table memo (id int primary key, subject_type text not null, subject_id int not null, body text)',
  )
  try {
    await folder.run(['draft'])
    await folder.run(['answer', '--accept', 'customer.email:identity'])
    const { stdout } = await folder.run(['answer'])
    expect(stdout).toMatch(/^ {2}--say shop:memo\.subject_id=reference=shop:customer\.id@VALUE\t.*such as 'Customer'$/m)
    expect(await folder.run(['answer', '--say', 'memo.subject_id=reference=shop:customer.id@VALUE'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('write what you mean in place of VALUE'),
    })
    await folder.run(['answer', '--say', 'memo.subject_id=reference=shop:customer.id@CUST'])
    const open = (await folder.run(['answer'])).stdout
    expect(open).toContain("shop:memo.subject_type is open: 'shop:memo.subject_id' is followed only in rows whose")
    const other = 'memo.subject_type=reference=deals.id@DEAL'
    expect(await folder.run(['answer', '--say', other])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("'shop' describes no field 'deals.id': the nearest known name is 'deal.id'"),
    })
    await folder.run(['answer', '--say', other.replace('deals', 'deal')])
    const said = ['memo.subject_id@customer=from', 'memo.subject_id@deal=from', 'memo.subject_type=reviewed']
    await folder.run(['answer', '--say', ...said])
    const [, memo = ''] = folder.read(file).split('name: memo')
    expect(memo).toMatch(/field: customer\.id, when: \{ subject_type: CUST \}, direction: from/)
    expect(memo).toMatch(/field: deal\.id, when: \{ subject_type: DEAL \}, direction: from/)
    expect((await folder.run(['answer'])).stdout).not.toContain('memo.subject')
    expect((await folder.run(['check'])).stdout).not.toContain(' shop:memo.subject')
    folder.write(file, folder.read(file).replaceAll('{ subject_type: CUST }', '{ subjct_type: CUST }'))
    expect((await folder.run(['check'])).stdout).toContain(
      "correct the name in its 'when': the nearest known name is 'subject_type'",
    )
  } finally {
    await query('drop table memo, deal')
  }
})

it('tables of another schema are told by a draft and a check, until a connection reads that schema', async () => {
  await query('create schema billing', 'create table billing.invoice (id int primary key, email text)')
  const config = folder.read('habeas.config.ts')
  try {
    const { stderr } = await folder.run(['draft'])
    expect(stderr).toContain(
      "Tables and views of the schema 'billing' are left out: add a connection whose db_schema is 'billing'.",
    )
    await folder.run(['answer', ...answers])
    const checked = await folder.run(['check'])
    expect(checked).toMatchObject({ exitCode: 0 })
    expect(checked.stderr).toContain(
      "reads the schema 'public' alone, and its database has tables or views in the schemas 'billing'",
    )
    const billing = `billing: { type: 'postgres', secrets: { url: process.env.SHOP_DATABASE_URL, db_schema: 'billing' } },`
    folder.write('habeas.config.ts', config.replace('  connections: {', `  connections: {\n    ${billing}`))
    expect((await folder.run(['draft'])).stderr).not.toContain('are left out')
    expect((await folder.run(['check'])).stderr).not.toContain('alone')
  } finally {
    folder.write('habeas.config.ts', config)
    folder.remove('habeas/billing.yml')
    await query('drop schema billing cascade')
  }
})

it('both forms of a name are taken, and the two owners that may be nobody have names of their own', async () => {
  await query(
    'create table visits (id int primary key, customer_id int references customer)',
    'create table invoices (id int primary key, visit_id int references visits)',
  )
  try {
    await folder.run(['draft'])
    const { stdout } = await folder.run(['answer'])
    expect(stdout).toMatch(/--say shop:invoices\.visit_id=owner=nobody\trows of 'shop:invoices' belong to nobody/)
    expect(stdout).toMatch(/--say shop:invoices\.visit_id=owner=visits:nobody\trows of 'shop:visits' belong to nobody/)
    const said = ['--accept', 'shop:review.body:category', '--say', 'invoices.visit_id=owner=visits:nobody']
    const answered = await folder.run(['answer', ...said])
    expect(answered.stderr).toContain('habeas/shop.yml is changed.')
    expect(line('body')).toContain('data_categories: [ user ]')
    expect(folder.read(file).split('name: visits')[1]).toContain('owner: []')
    expect(folder.read(file).split('name: invoices')[1]?.split('name: visits')[0]).not.toContain('owner: []')
  } finally {
    await query('drop table invoices, visits')
  }
})

it('a column that an answer has made personal is asked for', async () => {
  const mails = 'create table mails (id int primary key, recipient_email text, body text)'
  await query(mails)
  try {
    await folder.run(['draft'])
    await folder.run(['answer', ...answers])
    const { stdout: early } = await folder.run(['answer'])
    expect(early).toContain('--accept mails.recipient_email:identity')
    await folder.run(['answer', '--accept', 'mails.recipient_email:identity'])
    const checked = await folder.run(['check', '--json'])
    const { problems } = JSON.parse(checked.stdout)
    const places = problems.filter(({ next }: { next?: string }) => next === 'answer')
    expect(places.map(({ place }: { place: string }) => place)).toEqual(['shop:mails.body'])
    const { exitCode, stdout } = await folder.run(['answer'])
    expect(stdout).toMatch(/^ {2}--say shop:mails\.body=category=user\tit holds this personal data$/m)
    expect(exitCode).toBe(1)
    expect(await folder.run(['answer', '--say', 'mails.body=category=user'])).toMatchObject({ exitCode: 0 })
    expect(folder.read(file).split('name: mails')[1]).toMatch(/name: body, .*data_categories: \[ user \]/)
  } finally {
    await query('drop table mails')
  }
})

it('what is left out takes its reason at once, as check asks for one', async () => {
  await query('create table mails (id int primary key, recipient_email text, body text)')
  try {
    await folder.run(['draft'])
    await folder.run(['answer', ...answers, '--accept', 'mails.recipient_email:identity'])
    expect((await folder.run(['answer'])).stdout).toMatch(
      /^ {2}--say shop:mails\.body=reviewed --reason …\tit holds no/m,
    )
    const said = ['--say', 'mails.body=reviewed', '--reason', 'templates only']
    expect(await folder.run(['answer', ...said])).toMatchObject({ exitCode: 0 })
    expect(folder.read(file).split('name: mails')[1]).toMatch(/name: body, .*waived: \{ reason: templates only \}/)
    expect(await folder.run(['check'])).toMatchObject({ exitCode: 0 })
  } finally {
    await query('drop table mails')
  }
})

it('a column that nobody has described yet is left to a draft', async () => {
  folder.write(file, drafted.replace(/^ *- \{ name: name, .*\n/m, ''))
  const { exitCode, stdout, stderr } = await folder.run(['answer'])
  expect(stdout, stderr).toContain('--accept customer.email:identity')
  expect(stdout).not.toContain('customer.name:category')
  expect(exitCode).toBe(1)
})

it('what check counts is asked, however unsure the proposal is', async () => {
  await query('alter table review add session_id text')
  try {
    expect(await folder.run(['draft'])).toMatchObject({ exitCode: 0 })
    await folder.run(['answer', ...answers])
    const checked = await folder.run(['check'])
    expect(checked.stdout).toContain("Nobody has decided on 'session_id' of 'shop:review'")
    expect(checked.stderr).toContain("'habeas answer' walks through what is open")
    const { exitCode, stdout } = await folder.run(['answer'])
    expect(stdout).toContain('--accept review.session_id:category\t0.5\t')
    expect(exitCode).toBe(1)
    expect(await folder.run(['answer', '--accept', 'review.session_id:category'])).toMatchObject({ exitCode: 0 })
    expect(line('session_id')).toContain('user.telemetry')
  } finally {
    await query('alter table review drop session_id')
  }
})

it('an answer goes into the dataset that it names, and into none where several have it', async () => {
  const copy = 'habeas/copy.yml'
  folder.write(
    copy,
    drafted.replace('service_key: shop', 'service_key: copy').replaceAll('dataset: shop', 'dataset: copy'),
  )
  try {
    const before = folder.read(copy)
    const { stdout } = await folder.run(['answer'])
    expect(stdout).toContain('--accept shop:customer.email:identity\t')
    expect(stdout).toContain('--accept copy:customer.email:identity\t')
    const { exitCode, stderr } = await folder.run(['answer', '--accept', 'customer.email:identity'])
    expect(exitCode).toBe(2)
    expect(stderr).toContain("write 'copy:customer.email:identity' or 'shop:customer.email:identity'.")
    expect([folder.read(copy), folder.read(file)]).toEqual([before, drafted])
    await folder.run(['answer', '--accept', 'shop:customer.email:identity'])
    expect(folder.read(copy)).toBe(before)
    expect(line('email')).toContain('identity: email')
  } finally {
    folder.remove(copy)
  }
})

it('a database tells its schema as often for many answers as for one', async () => {
  const plain = folder.read('habeas.config.ts')
  folder.replace('habeas.config.ts', '[postgresConnector()]', '[counted(postgresConnector())]')
  folder.write(
    'habeas.config.ts',
    `import { appendFileSync } from 'node:fs'
${folder.read('habeas.config.ts')}
function counted(connector: ReturnType<typeof postgresConnector>): typeof connector {
  return {
    ...connector,
    async connect(secrets) {
      const connection = await connector.connect(secrets)
      return { ...connection, describe: (options) => (appendFileSync('described', '.'), connection.describe(options)) }
    },
  }
}
`,
  )
  const describedBy = async (...said: string[]) => {
    folder.write('described', '')
    expect(await folder.run(['answer', '--say', ...said])).toMatchObject({ exitCode: 1 })
    return folder.read('described').length
  }
  try {
    const once = await describedBy('orders.customer_id=from')
    folder.write(file, drafted)
    expect(once).toBeGreaterThan(0)
    expect(
      await describedBy('orders.customer_id=from', 'review.customer_id=from', 'orders.phone_number=reviewed'),
    ).toBe(once)
    expect(line('phone_number')).toContain('reviewed: true')
  } finally {
    folder.write('habeas.config.ts', plain)
  }
})

it('where nothing is open, it tells of what no answer settles', async () => {
  await folder.run(['answer', ...answers])
  expect((await folder.run(['answer'])).stderr).toBe('Nothing is open.\n')
  folder.write(
    file,
    folder.read(file).replace('- name: review\n', '- name: review\n        service_meta: { skip_processing: true }\n'),
  )
  const { exitCode, stderr } = await folder.run(['answer'])
  expect(stderr).toBe("Nothing is open, and 'habeas check' finds 1 problem that no answer settles: run it.\n")
  expect(exitCode).toBe(0)
  expect((await folder.run(['check'])).exitCode).toBe(1)
})
