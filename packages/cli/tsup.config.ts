import { defineConfig } from 'tsup'
import base from '../../tsup.config.js'

export default defineConfig({
  ...base,
  entry: ['src/index.ts', 'src/main.ts'],
  dts: { ...base.dts, entry: 'src/index.ts' },
})
