import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { defineConfig } from 'tsup'
import base from '../../tsup.config.js'

/** What the documentation page loads, and the terms under which it is passed on. */
const viewer = ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css', 'LICENSE', 'NOTICE']

export default defineConfig({
  ...base,
  // `import.meta.url` in CommonJS
  shims: true,
  async onSuccess() {
    await mkdir('dist/docs', { recursive: true })
    for (const file of viewer) {
      await copyFile(createRequire(import.meta.url).resolve(`swagger-ui-dist/${file}`), join('dist/docs', file))
    }
  },
})
