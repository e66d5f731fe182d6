import { readFile } from 'node:fs/promises'
import type { Options } from 'tsup'
import ts from 'typescript'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** esbuild inlines its own helpers; TypeScript takes them from tslib, so that a bundle of several packages has them once. */
const tslibHelpers: Plugin = {
  name: 'tslib-helpers',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path }) => {
      const { outputText } = ts.transpileModule(await readFile(path, 'utf8'), {
        fileName: path,
        compilerOptions: {
          target: ts.ScriptTarget.ES2022,
          module: ts.ModuleKind.ESNext,
          importHelpers: true,
          verbatimModuleSyntax: true,
          inlineSourceMap: true,
          inlineSources: true,
        },
      })
      return { contents: outputText, loader: 'js' }
    })
  },
}

/** Runs in the folder of each package, `tsup --config ../../tsup.config.ts`, or is what its own configuration adds to. */
export default {
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'node',
  removeNodeProtocol: false,
  sourcemap: true,
  clean: true,
  silent: true,
  // Packages are built in the order of `workspaces`, so that the declarations of others are there: their sources would be
  // checked once for each package. tsup injects `baseUrl`, which TypeScript 6 refuses unless deprecations are ignored.
  dts: { compilerOptions: { customConditions: [], ignoreDeprecations: '6.0' } },
  esbuildPlugins: [tslibHelpers],
} satisfies Options
