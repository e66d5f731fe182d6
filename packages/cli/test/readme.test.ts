import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { commandFolder, commandLine } from './command-folder.js'
import { expectAnnErased } from './first-commands.js'
import { postgresShop } from './shop.js'

const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const blocks = [...page.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}))
const shop = postgresShop()
const { folder, query } = shop

/** The tables of the first request, which the page names. */
const rootPage = readFileSync(new URL('../../../README.md', import.meta.url), 'utf8')

beforeAll(() => query(/^```sql\n([\s\S]*?)^```$/m.exec(rootPage)?.[1] ?? ''))

/** A command line of the page, and what the page says it prints. */
function transcript(text: string) {
  return text
    .split(/^\$ npx habeas /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...lines] = part.replaceAll('\\\n', ' ').trimEnd().split('\n')
      return { args: command.trim().split(/\s+/), printed: lines.join('\n') }
    })
}

/** Dots stand for anything. */
function pattern(printed: string): RegExp {
  const parts = printed.split('…').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  return new RegExp(`^${parts.join('[\\s\\S]*?')}\\n$`)
}

/** What a person would see of both streams, in its order. */
function seen(args: readonly string[]): string {
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], SHOP_DATABASE_URL: shop.url }
  const { stdout } = spawnSync('sh', ['-c', '"$0" "$@" 2>&1', ...commandLine, ...args], {
    cwd: folder.path,
    env,
    encoding: 'utf8',
  })
  return stdout
}

it('the quick start runs as it stands', async () => {
  let commands = 0
  for (const { language, text } of blocks) {
    if (language === 'yaml' && text.startsWith('system:')) folder.write('habeas/system.yml', text)
    if (!text.startsWith('$ ')) continue
    for (const { args, printed } of transcript(text)) {
      expect(seen(args), args.join(' ')).toMatch(pattern(printed))
      commands++
    }
  }
  expect(commands).toBe(9)
  expect(JSON.parse(folder.read('ann.json'))).toMatchObject({ 'shop:review': [{ body: 'Arrived early.' }] })
  expect(folder.read('record.csv')).toContain('web_shop')
  expectAnnErased(
    await query('select * from customer order by id'),
    await query('select * from orders order by id'),
    await query('select * from review order by id'),
  )
})

it('the configuration loads as it stands', async () => {
  const { text = '' } = blocks.find(({ language }) => language === 'ts') ?? {}
  const { run } = commandFolder({ 'habeas.config.ts': text, 'policies.yml': 'policy: []\n' }, () => ({
    SHOP_DATABASE_URL: shop.url,
  }))
  expect((await run(['draft', 'crm'])).stderr).toContain("The configuration has no connection 'crm'. It has: shop.")
})

it('says its version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(await folder.run(['--version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n` })
})

it('every command stands in the table', async () => {
  const { stdout } = await folder.run(['--help'])
  const commands = [...(stdout.split('Commands:')[1] ?? '').matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
  const listed = [...page.matchAll(/^\| `(\w+)` \| (?!.*required)/gm)].map(([, name]) => name)
  expect(listed).toEqual(expect.arrayContaining(commands.filter((name) => name !== 'help')))
  expect(commands.length).toBeGreaterThan(12)
})
