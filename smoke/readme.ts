import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { startPostgres } from '@habeas/testkit'
import pg from 'pg'

const run = promisify(execFile)

/** The blocks of one language on a page, in their order. */
function blocks(page: string, language: string): string[] {
  const all = page.matchAll(/^```([a-z]*)\n([\s\S]*?)^```$/gm)
  return [...all].flatMap(([, each, code = '']) => (each === language ? [code] : []))
}

function line(text: string, begins: string): string[] {
  const found = text.split('\n').find((each) => each.startsWith(begins))
  if (found === undefined) throw new Error(`README has no line that begins with '${begins}'.`)
  return found.slice(begins.length).trim().split(/\s+/)
}

/**
 * Does what the first part of the README says, as it stands there, in an empty folder. It installs what its line names, from
 * `tarballs` (files by the name of their package). It makes the tables in an empty database, checks the types of the first
 * file, runs that, and compares the end of what it prints.
 */
export async function runReadme(tarballs: Readonly<Record<string, string>>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'habeas-readme-'))
  try {
    await inFolder(folder, tarballs)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function inFolder(folder: string, tarballs: Readonly<Record<string, string>>): Promise<void> {
  const page = readFileSync('README.md', 'utf8')
  const [install = '', , commands = ''] = blocks(page, 'sh')
  const [tables = ''] = blocks(page, 'sql')
  const [program = ''] = blocks(page, 'ts')
  const [printed = ''] = blocks(page, '')
  const bin = (name: string) => resolve('node_modules/.bin', name)
  const here = { cwd: folder }

  const named = line(install, 'npm install @').map((name) => `@${name.replace('@', '')}`)
  const dependencies = Object.fromEntries(named.map((name) => [name, `file:${tarballs[name]}`]))
  const overrides = Object.fromEntries(Object.entries(tarballs).map(([name, path]) => [name, `file:${path}`]))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies, overrides }))
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'], here)
  for (const types of ['@types/node', 'undici-types'])
    cpSync(join('node_modules', types), join(folder, 'node_modules', types), { recursive: true })

  writeFileSync(join(folder, 'first.mts'), program)
  await run(bin('tsc'), line(commands, 'npx tsc '), here)

  const server = await startPostgres()
  try {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(tables)
    await client.end()
    const [, makeKey = ''] = /`node -p "([^`]*)"`/.exec(page) ?? []
    const HABEAS_ENCRYPTION_KEY = (await run('node', ['-p', makeKey])).stdout.trim()
    const env = { ...process.env, HABEAS_ENCRYPTION_KEY, SHOP_DATABASE_URL: server.url }
    const start = line(commands, 'npx tsx ')
    const keyless = await run(bin('tsx'), start, { ...here, env: { ...env, HABEAS_ENCRYPTION_KEY: undefined } }).catch(
      ({ stderr }: { stderr: string }) => ({ stderr }),
    )
    if (!/^PrivacyError: .*HABEAS_ENCRYPTION_KEY/m.test(keyless.stderr))
      throw new Error(`Without a key the first file said:\n${keyless.stderr}`)
    const { stdout } = await run(bin('tsx'), start, { ...here, env })
    if (!stdout.endsWith(`\n${printed}`))
      throw new Error(`The first file printed this, and README says otherwise:\n${stdout}`)
    const found = JSON.parse(readFileSync(join(folder, 'ann.json'), 'utf8'))
    if (!found['shop:customer']) throw new Error('The first file found nothing of Ann.')
  } finally {
    await server.stop()
  }
}
