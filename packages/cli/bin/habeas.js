#!/usr/bin/env node
import { existsSync } from 'node:fs'

const built = new URL('../dist/main.js', import.meta.url)
if (existsSync(built)) await import(built.href)
else {
  // A clone that was not built yet runs its sources.
  const { register } = await import('tsx/esm/api')
  register()
  await import('../src/main.ts')
}
