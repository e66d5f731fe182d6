import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { build, type Options } from 'tsup'

/**
 * A program of children as one file, since compiling it afresh would take most of the time of each. With `newer` it is of a later
 * version of the adapter, which has one migration more.
 */
export async function buildChild(program: string, newer = false): Promise<string> {
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
    esbuildPlugins: newer ? [laterVersion] : [],
    banner: {
      js: `import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url)`,
    },
    outExtension: () => ({ js: '.mjs' }),
    esbuildOptions(options) {
      options.conditions = ['@habeas/source', 'node']
    },
  })
  return join(outDir, `${basename(program, '.ts')}.mjs`)
}

/** What a later version may do to the tables while an older one works on them. */
const change = 'alter table record add column tenant text; create index record_tenant on record (tenant);'

const laterVersion: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'later-version',
  setup(program) {
    program.onLoad({ filter: /state[\\/]migrations\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const end = text.lastIndexOf(']')
      const more = `{ number: ${text.match(/number: \d/g)?.length} + 1, name: 'later', sql: ${JSON.stringify(change)} }`
      return { contents: `${text.slice(0, end)}${more}${text.slice(end)}`, loader: 'ts' }
    })
  },
}
