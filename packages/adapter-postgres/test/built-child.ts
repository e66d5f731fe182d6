import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build } from 'tsup'

/** A program of children as one file, since compiling it afresh would take most of the time of each. */
export async function buildChild(program: string): Promise<string> {
  const outDir = await mkdtemp(join(tmpdir(), 'habeas-crash-'))
  await build({
    entry: [program],
    outDir,
    config: false,
    silent: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    noExternal: [/.*/],
    external: ['pg-native'],
    splitting: false,
    banner: { js: `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url)` },
    outExtension: () => ({ js: '.mjs' }),
    esbuildOptions(options) {
      options.conditions = ['@habeas/source', 'node']
    },
  })
  return join(outDir, `${basename(program, '.ts')}.mjs`)
}
