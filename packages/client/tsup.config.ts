import { defineConfig } from 'tsup'
import base from '../../tsup.config.js'

export default defineConfig({
  ...base,
  // Of core only the error is needed: with it inside, a client starts without loading the service.
  noExternal: ['@habeas/core'],
  esbuildOptions(options) {
    options.conditions = ['@habeas/source']
  },
})
