import { spawnSync } from 'node:child_process'
import { type PostgresServer, startPostgres } from '@habeas/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandFolder, commandLine } from './command-folder.js'
import { postgresShop, shopFiles, shopTables } from './shop.js'

const shop = postgresShop(shopFiles)
const { folder, query } = shop
const empty = commandFolder()
const ann = ['--identity', 'email=ann@example.com']

let secured: PostgresServer
beforeAll(async () => {
  secured = await startPostgres({ password: 'the right one' })
  await query(...shopTables)
})
afterAll(() => secured?.stop())

/** Runs with other texts of files, which are as before afterwards. */
async function changed(changes: Readonly<Record<string, string>>, args: readonly string[]) {
  const before = Object.keys(changes).map((name) => [name, folder.read(name)] as const)
  for (const [name, content] of Object.entries(changes)) folder.write(name, content)
  try {
    return await folder.run(args)
  } finally {
    for (const [name, content] of before) folder.write(name, content)
  }
}

const config = shopFiles['habeas.config.ts']
const dataset = shopFiles['habeas/shop.yml']

describe('wrong usage ends with 2 and says what to do', () => {
  it.each([
    [['check'], "There is no configuration in this folder: run 'habeas init'"],
    [['check', '--config', 'away.ts'], "There is no configuration 'away.ts': correct --config, or run 'habeas init'."],
    [['check', '--jsn'], "unknown option '--jsn'\n(Did you mean --json?)"],
    [
      ['check', '--url', 'https://example.com'],
      "write what the service holds into the files with 'habeas pull --url …'",
    ],
    [['chek'], "unknown command 'chek'\n(Did you mean check?)"],
    [['init'], 'Nobody can be asked here: say --kind (postgres, mysql, '],
    [['init', '--kind', 'oracle'], 'Allowed choices are postgres, mysql, '],
    [['init', '--kind', 'postgres', '--name', '../shop'], "A connection cannot be called '../shop'"],
    [['plan'], 'Say who is meant: --identity email=ann@example.com'],
    [['holds', 'create', ...ann], "required option '--reason <text>' not specified"],
    [['verify', 'nothere.json'], "There is no file 'nothere.json': name the evidence of a request."],
    [['pull', '--url', 'notaurl'], '--url, or HABEAS_URL, takes an address'],
    [['pull', '--url', 'https://user:hunter2@example.com'], '--url takes no user and no password'],
    [['verify'], "missing required argument 'file'"],
  ])('in an empty folder: %j', async (args, message) => {
    const { exitCode, stdout, stderr } = await empty.run(args)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('hunter2')
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  })

  it.each([
    [['draft', 'warehouse'], "The configuration has no connection 'warehouse'. It has: shop."],
    [
      ['plan', ...ann, '--policy', 'forget_me'],
      "--policy: there is no policy 'forget_me'. There are: default_access_policy, ",
    ],
    [
      ['request', 'submit', ...ann, '--policy', 'default_acess_policy'],
      "there is no policy 'default_acess_policy': the nearest known name is 'default_access_policy'.",
    ],
    [
      ['answer', '--say', 'shop:review.customer_id'],
      '--say takes a question and its answer, such as shop:review.customer_id=from',
    ],
    [['init', '--config', 'second.yml'], '--config names a file that ends in .ts, .mts, .js or .mjs.'],
    [['plan', '--identity', 'ann@example.com'], '--identity takes name=value, such as email=ann@example.com.'],
    [['plan', ...ann, '--identity', 'email=bob@example.com'], "--identity says 'email' twice: give --identities FILE"],
    [['plan', ...ann, 'email=bob@example.com'], 'All of them are one person.'],
    [['plan', ...ann, '--json', '--format', 'html'], 'Give --json or --format, not both.'],
    [['request', 'submit', ...ann, '--evidence', 'away/ann.json'], "--evidence: 'away/ann.json' cannot be written"],
    [['datamap', '--output', 'habeas'], "--output: 'habeas' cannot be written"],
    [['plan', ...ann, '--output', 'away/plan.txt'], "--output: 'away/plan.txt' cannot be written"],
    [['request', 'submit', ...ann, '--output', 'habeas'], "--output: 'habeas' cannot be written"],
    [['plan', '--identities', 'away.json'], "'away.json' cannot be read"],
    [['plan', '--identities', 'habeas.config.ts'], "'habeas.config.ts' is no JSON list of identity objects"],
    [
      ['request', 'submit', ...ann, '--evidence', 'e.json'],
      "--evidence: only an erasure has evidence, and 'default_access_policy' erases nothing.",
    ],
    [['request', 'submit', ...ann, '--no-wait'], "Without a 'storage' in the configuration the request would be gone"],
    [['request', 'submit', ...ann, '-p', 'default_erasure_policy'], 'add --yes to say so where nobody can be asked'],
    [['request', 'watch', 'pri_1'], "The configuration has no 'storage'"],
    [['holds', 'list'], "Holds have to be kept: give the configuration a 'storage'"],
    [['push'], 'There is nowhere to send them: name a service with --url'],
    [['pull'], 'There is nothing to pull from: name a service with --url'],
    [['init', '--kind', 'postgres'], "There is a configuration already: add your database to 'connections'"],
  ])('beside a shop: %j', async (args, message) => {
    const { exitCode, stdout, stderr } = await folder.run(args)
    expect(stderr).toContain(message)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  })

  it.each([
    [
      'imports an adapter that is not installed',
      { 'habeas.config.ts': config.replace('@habeas/adapter-postgres', '@habeas/adapter-mssql') },
      "'habeas.config.ts' imports @habeas/adapter-mssql, which is not installed: npm install @habeas/adapter-mssql",
    ],
    [
      'has a member with a typo',
      { 'habeas.config.ts': config.replace('connections:', 'conections:') },
      'Unrecognized key: "conections". Export defineConfig({ … }) by default.',
    ],
    [
      'exports nothing',
      { 'habeas.config.ts': 'export const nothing = 1\n' },
      "'habeas.config.ts' is no configuration.",
    ],
    [
      'names a file that is not there',
      { 'habeas.config.ts': config.replace('connections:', "files: ['away.yml'],\n  connections:") },
      "There is no file 'away.yml': correct 'files' in the configuration.",
    ],
    [
      'has a connection of a kind that nobody knows',
      { 'habeas.config.ts': config.replace("type: 'postgres'", "type: 'postgras'") },
      'connectionType must be one of postgres, timescale, ',
    ],
    [
      'has a file that is no YAML',
      { 'habeas/shop.yml': `${dataset}    - {name: [\n` },
      /^error .*habeas\/shop\.yml, line \d+, column \d+: /m,
    ],
    [
      'has a dataset that says something wrong',
      { 'habeas/shop.yml': dataset.replace('primary_key: true', 'primary_key: maybe') },
      /^error habeas\/shop\.yml:12:\d+: dataset\.0\.collections\.0\.fields\.1\.service_meta\.primary_key /m,
    ],
  ])('where the configuration %s', async (_, changes, message) => {
    const { exitCode, stdout, stderr } = await changed(changes, ['draft'])
    expect(stderr).toMatch(message)
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  })

  it('where the environment lacks the address of the database', async () => {
    const { exitCode, stderr } = await folder.run(['check'], { env: { SHOP_DATABASE_URL: '' } })
    expect(stderr).toContain("The secret 'url' of the connection 'shop' has no value: set the environment variable")
    expect(stderr).toContain('Not set: SHOP_DATABASE_URL.')
    expect(exitCode).toBe(2)
    // the others need no database
    expect((await folder.run(['datamap'], { env: { SHOP_DATABASE_URL: '' } })).exitCode).toBe(0)
  })
})

it('check names the file, the line and the column of what cannot be read, and ends with 1', async () => {
  const { exitCode, stdout } = await changed({ 'habeas/shop.yml': `${dataset}    - {name: [\n` }, ['check'])
  expect(stdout).toMatch(/^manifest habeas\/shop\.yml:\d+:\d+: /m)
  expect(exitCode).toBe(1)
})

describe('a database that fails ends a command with 3', () => {
  const wrong = 'hunter2-planted'
  const url = () => secured.url.replace('//postgres', `//postgres:${wrong}`).replace(/:the[^@]*@/, '@')

  it.each([['check'], ['draft'], ['answer']])(
    '%s says that the password is wrong, and not which it is',
    async (name) => {
      const { exitCode, stdout, stderr } = await folder.run([name], {
        env: { SHOP_DATABASE_URL: url(), HABEAS_DEBUG: '1' },
      })
      expect(stderr).toMatch(/password/)
      expect(stdout + stderr).not.toContain(wrong)
      expect(exitCode).toBe(3)
    },
  )

  it.each([[['check']], [['draft']], [['answer']], [['request', 'submit', ...ann]], [['plan', ...ann]]])(
    '%j says that nothing listens',
    async (args) => {
      const { exitCode, stdout, stderr } = await folder.run(args, {
        env: { SHOP_DATABASE_URL: `postgres://postgres:${wrong}@127.0.0.1:1/shop` },
      })
      expect(stderr).toMatch(
        /^error The connection 'shop' does not work: .*Nothing listens at the given host and port/m,
      )
      expect(stdout + stderr).not.toContain(wrong)
      expect(exitCode).toBe(3)
    },
  )
})

it('a reader that has had enough does not change how a command ends', () => {
  const { path, write } = commandFolder({ 'habeas.config.mjs': 'export default {}\n' })
  write('habeas/x.yml', 'datasets: []\n')
  const piped = spawnSync('bash', ['-o', 'pipefail', '-c', '"$0" "$@" | true', ...commandLine, 'check'], { cwd: path })
  expect(piped.status).toBe(1)
})

it('a stack is shown to those who ask for it', async () => {
  expect((await empty.run(['check'])).stderr).not.toContain('    at ')
  expect((await empty.run(['check'], { env: { HABEAS_DEBUG: '1' } })).stderr).toContain('    at ')
})

it('an access that finds nobody says so', async () => {
  const { exitCode, stderr } = await folder.run([
    'request',
    'submit',
    '-i',
    'email=nobody@example.com',
    '-o',
    'none.json',
  ])
  expect(stderr).toContain("No row was found for this identity: 'habeas plan' says where it is looked for.")
  expect(exitCode).toBe(0)
})

it('a data map says which keys nothing has, and is lacking where it has to be complete', async () => {
  const text = `system:
  - service_key: web
    system_type: Service
    privacy_declarations:
      - { name: Orders, data_use: provide.servce, data_categories: [user.contact], data_subjects: [customer] }
`
  folder.write('habeas/system.YML', text)
  const { exitCode, stderr } = await folder.run(['datamap', '--strict'])
  folder.remove('habeas/system.YML')
  expect(stderr).toContain("'provide.servce'")
  expect(exitCode).toBe(1)
})

it('init says what is missing, and makes the configuration', async () => {
  const fresh = commandFolder()
  const { exitCode, stdout, stderr } = await fresh.run(['init', '--kind', 'mssql', '--name', 'crm'])
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
  expect(stderr).toBe(`Written: habeas.config.ts
Next:
  npm install @habeas/adapter-mssql
  export CRM_DATABASE_URL=mssql://user:password@localhost:1433/database
  habeas draft
`)
  expect(fresh.read('habeas.config.ts')).toContain('url: process.env.CRM_DATABASE_URL,')
})
