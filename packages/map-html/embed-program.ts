import type { Options } from 'tsup'
import { pageProgram } from './src/page-program.js'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** A map of nothing: else that of the package would hold the program once more. One without any mapping counts as none. */
const emptyMap = JSON.stringify({ version: 3, sources: ['page-program.ts'], sourcesContent: [''], mappings: 'AAAA' })
const withoutSourceMap = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(emptyMap).toString('base64')}`

/** Puts the program of a page into the code, so that the built package needs neither a bundler nor the library. */
export const embedProgram: Plugin = {
  name: 'embed-program',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]page-program\.ts$/ }, () => ({
      contents: `export const pageProgram = () => ${JSON.stringify(pageProgram())}\n${withoutSourceMap}\n`,
    }))
  },
}
