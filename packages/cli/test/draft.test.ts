import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const next = "Next: 'habeas answer' asks what only people know, and 'habeas check' says what is missing.\n"

const { folder, query } = postgresShop(shopFiles)
const file = 'habeas/shop.yml'
const before = shopFiles[file]

beforeAll(async () => {
  await query(...shopTables)
})
beforeEach(async () => {
  folder.write(file, before)
  await query(
    'create table newsletter (id int primary key, customer_id int not null references customer, topic text)',
    'alter table customer add column nickname text, add column birthday date',
  )
})
afterEach(() => query('drop table newsletter', 'alter table customer drop column nickname, drop column birthday'))

it('a foreign key into another schema is told, with what to do', async () => {
  const file = folder.read('habeas/shop.yml')
  folder.remove('habeas/shop.yml')
  await query(
    'create schema crm',
    'create table crm.lead (id int primary key)',
    'create table calls (id int primary key, lead_id int references crm.lead)',
  )
  try {
    expect((await folder.run(['draft'])).stderr).toMatch(
      /^ {2}The foreign key 'calls_lead_id_fkey' of 'calls' is not described: It refers to the schema "crm": [^.]* refer to it there\.$/m,
    )
  } finally {
    folder.write('habeas/shop.yml', file)
    await query('drop table calls', 'drop schema crm cascade')
  }
})

it('a draft adds new tables and columns, and leaves every line that people wrote', async () => {
  const { exitCode, stdout, stderr } = await folder.run(['draft'])
  expect(exitCode).toBe(0)
  expect(stderr).toBe(`shop: habeas/shop.yml is changed.\n${next}`)
  const added = folder.read(file).split('\n')
  let above = 0
  for (const line of before.split('\n')) {
    above = added.indexOf(line, above)
    expect(above, line).not.toBe(-1)
    added.splice(above, 1)
  }
  expect(added.map((line) => /name: (\w+)/.exec(line)?.[1]).filter(Boolean)).toEqual([
    ...['nickname', 'birthday', 'newsletter', 'id', 'customer_id', 'topic'],
  ])
  for (const line of added) expect(stdout).toContain(`\n+${line}\n`)

  const again = await folder.run(['draft', 'shop'])
  expect(again).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: "shop: dataset 'shop' describes every table and column already.\n",
  })
})

it('--dry-run ends with 1 and writes nothing', async () => {
  const { exitCode, stdout, stderr } = await folder.run(['draft', '--dry-run'])
  expect(exitCode).toBe(1)
  expect(stdout).toMatch(/^\+.*name: newsletter$/m)
  expect(stderr).toBe('shop: habeas/shop.yml would be changed.\n')
  expect(folder.read(file)).toBe(before)
})

it('--json says which files would change', async () => {
  const { exitCode, stdout } = await folder.run(['draft', '--dry-run', '--json'])
  expect(exitCode).toBe(1)
  expect(JSON.parse(stdout)).toEqual({
    drafts: [{ connection: 'shop', dataset: 'shop', file, removed: [], bare: [], skipped: [] }],
  })
})

it('a file with line ends of Windows keeps them', async () => {
  folder.write(file, before.replaceAll('\n', '\r\n'))
  expect(await folder.run(['draft'])).toMatchObject({ exitCode: 0 })
  const after = folder.read(file)
  expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(after).toContain('newsletter')
})

it('a dataset in JSON stays JSON', async () => {
  folder.remove(file)
  const dataset = {
    service_key: 'shop',
    connection_key: 'shop',
    collections: [{ name: 'customer', fields: [{ name: 'email', service_meta: { identity: 'email' } }] }],
  }
  folder.write('habeas/shop.json', JSON.stringify({ dataset: [dataset] }))
  expect(await folder.run(['draft'])).toMatchObject({ exitCode: 0 })
  const {
    dataset: [after],
  } = JSON.parse(folder.read('habeas/shop.json'))
  folder.remove('habeas/shop.json')
  expect(after.collections[0].fields[0]).toEqual(dataset.collections[0]?.fields[0])
  expect(after.collections.map(({ name }: { name: string }) => name)).toContain('newsletter')
})

it('a new column without a category is told, since no request asks for what it holds', async () => {
  await query('alter table customer add telegram text')
  try {
    const { stderr } = await folder.run(['draft'])
    expect(stderr).toContain("New, and without a category: 'customer.telegram'. No request asks for what these hold")
    expect((await folder.run(['draft'])).stderr).not.toContain('telegram')
  } finally {
    await query('alter table customer drop telegram')
  }
})

it('what the database no longer has is named, and stays in the file', async () => {
  folder.replace(file, 'name: street', 'name: avenue')
  const { exitCode, stderr } = await folder.run(['draft'])
  expect(exitCode).toBe(0)
  expect(stderr).toContain("The database no longer has 'customer.avenue': take it out of the dataset.")
  expect(folder.read(file)).toContain('name: avenue')
})

it('a table and a column with a reason to be left out stay as they are', async () => {
  folder.replace(
    file,
    '      - name: orders\n',
    '      - { name: newsletter, service_meta: { waived: { reason: sent to nobody } } }\n      - name: orders\n',
  )
  folder.replace(
    file,
    '{ name: name, data_categories: [user.name] }',
    '{ name: name, service_meta: { waived: { reason: a nickname } } }',
  )
  const lines = folder.read(file).split('\n')
  expect(await folder.run(['draft'])).toMatchObject({ exitCode: 0 })
  expect(folder.read(file).split('\n')).toEqual(expect.arrayContaining(lines))
  expect(folder.read(file)).not.toContain('topic')
})

it('a configuration without a folder takes a new dataset into its first file', async () => {
  const config = folder.read('habeas.config.ts')
  folder.replace('habeas.config.ts', 'connections: {', "files: ['data.yml'],\n  connections: {")
  folder.write('data.yml', '# ours\nsystem: []\n')
  const { stderr } = await folder.run(['draft'])
  expect(stderr).toBe(`shop: data.yml is changed.\n${next}`)
  expect(folder.read('data.yml')).toMatch(/^# ours\nsystem: \[\]\ndataset:\n {2}- service_key: shop\n/)
  expect((await folder.run(['draft'])).stderr).toBe("shop: dataset 'shop' describes every table and column already.\n")
  folder.write('habeas.config.ts', config)
})
