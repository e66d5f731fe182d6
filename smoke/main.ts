/**
 * Packs every published workspace, as npm would publish it, and proves that the tarballs are sound: publint and attw
 * find nothing, and in an empty project they install, import, require and type-check. What the README begins with is done as
 * it stands there. Needs `npm run build` before.
 */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { runReadme } from './readme.js'

/** What adapters load at their first connection. An application may have made a connector without using it. */
const drivers = ['pg', 'mysql2', 'tedious', 'mongodb', '@google-cloud/bigquery', 'snowflake-sdk']

/** The oldest version that the declarations are checked with. The newest is the one that builds them. */
const leastTypescript = '5.4.5'

const bin = (name: string) => resolve('node_modules/.bin', name)
const run = promisify(execFile)
const project = mkdtempSync(join(tmpdir(), 'habeas-smoke-'))

const manifests = readdirSync('packages')
  .map((folder) => join('packages', folder, 'package.json'))
  .filter((path) => existsSync(path))
  .map((path) => JSON.parse(readFileSync(path, 'utf8')) as { name: string; version: string; private?: boolean })
  .filter((manifest) => !manifest.private)
const names = manifests.map(({ name }) => name)
const tarballs = manifests.map(({ name, version }) => `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)

async function step(title: string, work: () => Promise<unknown>): Promise<void> {
  const start = performance.now()
  try {
    await work()
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    console.error(`smoke: ${title} failed\n${stdout}${stderr || error}`)
    rmSync(project, { recursive: true })
    process.exit(1)
  }
  console.log(`smoke: ${title} (${Math.round(performance.now() - start)} ms)`)
}

await step(`pack ${names.length} packages`, () =>
  run('npm', [
    'pack',
    ...names.flatMap((name) => ['--workspace', name]),
    '--ignore-scripts',
    '--pack-destination',
    project,
  ]),
)

await step('publint --strict, attw', () =>
  Promise.all([
    (async () => {
      for (const tarball of tarballs) await run(bin('publint'), ['--strict', join(project, tarball)])
    })(),
    (async () => {
      for (const tarball of tarballs) await run(bin('attw'), [join(project, tarball)])
    })(),
  ]),
)

await step('install the tarballs into an empty project', () => {
  const dependencies = Object.fromEntries(names.map((name, index) => [name, `file:${tarballs[index]}`]))
  const manifest = {
    private: true,
    dependencies,
    overrides: dependencies,
    devDependencies: { typescript: leastTypescript },
  }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  return run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'], { cwd: project })
})

const list = JSON.stringify(names)
const verify = `for (const [name, module] of Object.entries(loaded))
  if (Object.keys(module).length === 0) throw new Error(name + ' exports nothing')`

await step('import', () => {
  const code = `const loaded = {}\nfor (const name of ${list}) loaded[name] = await import(name)\n${verify}`
  return run('node', ['--input-type=module', '-e', code], { cwd: project })
})

await step('require', () => {
  const early = `const early = ${JSON.stringify(drivers)}.filter((driver) =>
    Object.keys(require.cache).some((path) => path.includes(\`/node_modules/\${driver}/\`)))
    if (early.length > 0) throw new Error('loaded before a connection: ' + early)`
  const code = `const loaded = {}\nfor (const name of ${list}) loaded[name] = require(name)\n${verify}\n${early}`
  return run('node', ['--input-type=commonjs', '-e', code], { cwd: project })
})

await step('run habeas-verify', () => {
  const code = `const { spawnSync } = require('node:child_process')
    const { stdout } = spawnSync('npx', ['--no-install', 'habeas-verify', 'none.json'], { encoding: 'utf8' })
    if (!stdout.includes('there is no such file')) throw new Error('the command does not run: ' + stdout)`
  return run('node', ['--input-type=commonjs', '-e', code], { cwd: project })
})

await step('run habeas, with a configuration in TypeScript', async () => {
  const { stdout } = await run('npx', ['--no-install', 'habeas', '--help'], { cwd: project })
  if (!stdout.includes('Usage: habeas')) throw new Error(`the command does not run: ${stdout}`)
  writeFileSync(
    join(project, 'habeas.config.ts'),
    `import { defineConfig } from '@habeas/cli'\nconst files: string[] = ['none']\nexport default defineConfig({ files })\n`,
  )
  const checked = await run('npx', ['--no-install', 'habeas', 'check'], { cwd: project })
  if (!checked.stderr.includes('described and decided')) throw new Error(`the check says: ${checked.stderr}`)
})

await step('show the documentation page, imported and required', async () => {
  const code = `
    const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
    const handler = createHttpHandler(privacy)
    const get = (path) => handler(new Request('http://localhost/api/v1/docs' + path))
    Promise.all(['', '/swagger-ui.css', '/swagger-ui-bundle.js', '/start.js'].map(get)).then((answers) => {
      for (const { status } of answers) if (status !== 200) throw new Error('a file of the page is missing')
      return privacy.close()
    })`
  const names = { createPrivacyService: '@habeas/core', createHttpHandler: '@habeas/http' }
  const each = (line: (name: string, from: string) => string) =>
    Object.entries(names).map(([name, from]) => line(name, from))
  const imported = each((name, from) => `import { ${name} } from '${from}'`)
  const required = each((name, from) => `const { ${name} } = require('${from}')`)
  await run('node', ['--input-type=module', '-e', [...imported, code].join('\n')], { cwd: project })
  await run('node', ['--input-type=commonjs', '-e', [...required, code].join('\n')], { cwd: project })
})

await step('draw a data map, imported and required', async () => {
  const code = `
    const html = dataMapPage({ systems: [], datasets: [] })
    if (!html.includes('The Cytoscape Consortium')) throw new Error('the program of the page is missing')`
  const module = '@habeas/map-html'
  const imported = `import { dataMapPage } from '${module}'\n${code}`
  const required = `const { dataMapPage } = require('${module}')\n${code}`
  await run('node', ['--input-type=module', '-e', imported], { cwd: project })
  await run('node', ['--input-type=commonjs', '-e', required], { cwd: project })
})

await step(`type-check a consumer under nodenext and bundler, and with TypeScript ${leastTypescript}`, async () => {
  const identifiers = names.map((_, index) => `package${index}`)
  const imports = names.map((name, index) => `import * as package${index} from '${name}'`)
  const consumer = `${imports.join('\n')}
import { createPrivacyClient } from '@habeas/client'
export const loaded: object[] = [${identifiers.join(', ')}]
const client = createPrivacyClient({ baseUrl: 'http://localhost', clientId: 'a', clientSecret: 'b' })
export const total: Promise<number> = client.call('GET /api/v1/connection').then((page) => page.total)
// @ts-expect-error what the endpoint table says must have come through the build
client.call('GET /api/v1/connection').then((page) => page.nothing)
`
  for (const file of ['consumer.mts', 'consumer.cts']) writeFileSync(join(project, file), consumer)
  // the only types a consumer on Node certainly has
  for (const types of ['@types/node', 'undici-types'])
    if (existsSync(join('node_modules', types)))
      cpSync(join('node_modules', types), join(project, 'node_modules', types), { recursive: true })
  const check = (tsc: string, ...options: string[]) =>
    run(tsc, ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node', ...options], { cwd: project })
  await Promise.all([
    check(bin('tsc'), '--module', 'nodenext', 'consumer.mts', 'consumer.cts'),
    // the declarations themselves are checked above
    check(bin('tsc'), '--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck', 'consumer.mts'),
  ])
  await check(join(project, 'node_modules/.bin/tsc'), '--module', 'nodenext', 'consumer.mts', 'consumer.cts')
})

await step('run the first file of the README in a folder of its own', () =>
  runReadme(Object.fromEntries(names.map((name, index) => [name, join(project, tarballs[index] as string)]))),
)

rmSync(project, { recursive: true })
