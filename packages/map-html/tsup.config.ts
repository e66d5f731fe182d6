import { defineConfig } from 'tsup'
import base from '../../tsup.config.js'
import { embedProgram } from './embed-program.js'

export default defineConfig({
  ...base,
  esbuildPlugins: [embedProgram, ...base.esbuildPlugins],
})
