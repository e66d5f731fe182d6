import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { gzipSync } from 'node:zlib'
import type { Options } from 'tsup'

type Plugin = NonNullable<Options['esbuildPlugins']>[number]

/** What the documentation page loads. */
const files = ['swagger-ui-bundle.js', 'swagger-ui.css']

const require = createRequire(import.meta.url)

/** Where npm has put a file of the viewer. */
export const viewerPath = (file: string): string => require.resolve(`swagger-ui-dist/${file}`)

/** Puts the files of the viewer into the code: a path beside the code leads nowhere once an application is bundled. */
export const embedViewer: Plugin = {
  name: 'embed-viewer',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]read-viewer-file\.ts$/ }, async () => ({ contents: await embedded() }))
  },
}

/** An empty map: else that of the package would hold the files once more. */
const emptyMap = JSON.stringify({ version: 3, sources: [], mappings: '' })
const withoutSourceMap = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(emptyMap).toString('base64')}`

async function embedded(): Promise<string> {
  const entries = files.map(async (file) => [file, gzipSync(await readFile(viewerPath(file)), { level: 9 })] as const)
  const packed = (await Promise.all(entries)).map(([file, bytes]) => [file, bytes.toString('base64')])
  return `import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
const packed = ${JSON.stringify(Object.fromEntries(packed))}
export const readViewerFile = (name) => promisify(gunzip)(Buffer.from(packed[name], 'base64'))
${withoutSourceMap}
`
}
