import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, type Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'
import { embedProgram } from '../../map-html/embed-program.js'

const packages = resolve(import.meta.dirname, '../..')

/** What the person of the tests has installed, and the files of each that are loaded by name. */
const installed = {
  core: ['index'],
  cli: ['index', 'main'],
  'adapter-postgres': ['index'],
  'adapter-mysql': ['index'],
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of the packages, as `node_modules` would have it. */
    readonly installedPackages: string
  }
}

// Beside the dependencies of the command, which are found from there.
const around = join(packages, 'cli/node_modules')
const folder = join(around, `.installed-${process.pid}`)

/** Builds the packages once for all tests, since compiling them anew would take most of the time of each command. */
export async function setup(project: TestProject): Promise<void> {
  removeLeft()
  await build({
    entryPoints: Object.entries(installed).flatMap(([name, files]) =>
      files.map((file) => ({ in: join(packages, name, `src/${file}.ts`), out: `${name}/dist/${file}` })),
    ),
    outdir: folder,
    bundle: true,
    // What two packages share is evaluated once.
    splitting: true,
    chunkNames: 'core/dist/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'es2022',
    packages: 'external',
    plugins: [ownPackages, embedProgram],
  })
  for (const name of Object.keys(installed))
    writeFileSync(join(folder, name, 'package.json'), JSON.stringify(builtPackage(name)))
  project.provide('installedPackages', folder)
}

export function teardown(): void {
  rmSync(folder, { recursive: true })
}

/** Removes what runs have left that were killed. */
function removeLeft(): void {
  if (!existsSync(around)) return
  for (const name of readdirSync(around)) {
    const [, pid] = /^\.installed-(\d+)$/.exec(name) ?? []
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(around, name), { recursive: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Those of the other packages are built too. */
const ownPackages: Plugin = {
  name: 'own-packages',
  setup(program) {
    program.onResolve({ filter: /^@habeas\// }, ({ path }) => ({
      path: join(packages, path.slice('@habeas/'.length), 'src/index.ts'),
    }))
  },
}

function builtPackage(name: string) {
  const { version } = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
  return {
    name: `@habeas/${name}`,
    version,
    type: 'module',
    exports: { '.': './dist/index.js', './package.json': './package.json' },
  }
}
