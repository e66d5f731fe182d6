import { copyFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defineConfig } from 'tsup'
import base from '../../tsup.config.js'
import { embedViewer, viewerPath } from './embed-viewer.js'

/** The terms under which the viewer is passed on. */
const terms = ['swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE']

export default defineConfig({
  ...base,
  esbuildPlugins: [embedViewer, ...base.esbuildPlugins],
  async onSuccess() {
    await mkdir('dist/docs', { recursive: true })
    for (const file of terms) await copyFile(viewerPath(file), join('dist/docs', file))
  },
})
