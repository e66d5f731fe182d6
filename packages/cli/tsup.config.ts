import { defineConfig } from 'tsup'
import base from '../../tsup.config.js'

/** The command is a module, and nobody requires it. Neither build clears away what the other makes. */
export default defineConfig([
  { ...base, clean: ['!main.*'] },
  { ...base, entry: ['src/main.ts'], format: ['esm'], dts: false, clean: ['!index.*'] },
])
