import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** As much of esbuild as is used here. It is needed only where this package is run from its source. */
interface Bundler {
  buildSync(options: object): { readonly outputFiles: readonly { readonly text: string }[] }
}

let program: string | undefined

/**
 * The program of a page with the library that draws, as one script. The build replaces this module by one that holds the
 * script: see `embed-program.ts`.
 */
export function pageProgram(): string {
  program ??= bundledProgram()
  return program
}

function bundledProgram(): string {
  const require = createRequire(import.meta.url)
  const { buildSync } = require('esbuild') as Bundler
  const terms = readFileSync(require.resolve('cytoscape').replace(/dist[\\/][^\\/]+$/, 'LICENSE'), 'utf8').replaceAll(
    '\r',
    '',
  )
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL('./page/main.ts', import.meta.url))],
    tsconfigRaw: {},
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    legalComments: 'none',
    banner: { js: `/*! cytoscape\n${terms.trim()}\n*/` },
  })
  return outputFiles[0]?.text ?? ''
}
