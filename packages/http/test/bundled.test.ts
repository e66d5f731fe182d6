import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type BuildOptions, build } from 'esbuild'
import { build as viteBuild } from 'vite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embedViewer, viewerPath } from '../embed-viewer.js'

const app = `
import { createPrivacyService } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32, 7).toString('base64') })
const handler = createHttpHandler(privacy)
const files = ['', '/swagger-ui.css', '/swagger-ui-bundle.js', '/start.js']
const get = async (file) => {
  const response = await handler(new Request('http://localhost/api/v1/docs' + file))
  return [response.status, (await response.arrayBuffer()).byteLength]
}
Promise.all(files.map(get)).then((answers) => {
  console.log(JSON.stringify(answers))
  return privacy.close()
})
`

const repository = resolve(import.meta.dirname, '../../..')
const cache = join(repository, 'node_modules/.cache')
const common: BuildOptions = { bundle: true, platform: 'node', target: 'es2022', logLevel: 'silent' }

/** Packages as they are published, beside their dependencies. */
let published = ''
/** Bundles, where no package can be found. */
let bundles = ''

beforeAll(async () => {
  await mkdir(cache, { recursive: true })
  published = await mkdtemp(join(cache, 'published-'))
  bundles = await mkdtemp(join(tmpdir(), 'bundles-'))
  await writeFile(appFile(), app)
  for (const name of ['core', 'http']) {
    await build({
      ...common,
      entryPoints: [join(repository, 'packages', name, 'src/index.ts')],
      outdir: join(published, name),
      plugins: [embedViewer],
      ...{ format: 'esm', splitting: true, packages: 'external' },
    })
  }
})

afterAll(async () => {
  await rm(published, { recursive: true })
  await rm(bundles, { recursive: true })
})

const appFile = () => join(published, 'app.js')
const alias = () => ({
  '@habeas/core': join(published, 'core/index.js'),
  '@habeas/http': join(published, 'http/index.js'),
})

/** Statuses and sizes of the page and its files, as the bundle answers them. */
async function answersOf(bundle: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(bundles, bundle)], { cwd: bundles })
  return JSON.parse(stdout)
}

async function whole(): Promise<unknown> {
  const sizes = ['swagger-ui.css', 'swagger-ui-bundle.js'].map(
    async (file) => (await readFile(viewerPath(file))).length,
  )
  const [styles, script] = await Promise.all(sizes)
  const some = expect.any(Number)
  return [some, styles, script, some].map((size) => [200, size])
}

describe('the documentation page of an application that was bundled', () => {
  // What esbuild advises for dependencies in CommonJS.
  const needsRequire = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);"

  it.each([
    { format: 'esm', file: 'app.mjs', banner: { js: needsRequire } },
    { format: 'cjs', file: 'app.cjs', banner: {} },
  ] as const)('by esbuild to $format', async ({ format, file, banner }) => {
    await build({ ...common, entryPoints: [appFile()], alias: alias(), format, banner, outfile: join(bundles, file) })
    expect(await answersOf(file)).toEqual(await whole())
  })

  it('by Vite for a server', async () => {
    await viteBuild({
      root: published,
      configFile: false,
      logLevel: 'silent',
      resolve: { alias: alias() },
      ssr: { noExternal: true },
      build: {
        ssr: appFile(),
        outDir: join(bundles, 'vite'),
        rolldownOptions: { output: { entryFileNames: 'app.mjs' } },
      },
    })
    expect(await answersOf('vite/app.mjs')).toEqual(await whole())
  })
})
