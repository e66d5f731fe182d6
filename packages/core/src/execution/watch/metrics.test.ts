import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { metrics } from './metrics.js'

it('each metric is in the documentation, as what it is', () => {
  const page = readFileSync(new URL('../../../../../docs/production.md', import.meta.url), 'utf8')
  const rows = page.split('\n').filter((line) => line.startsWith('| `habeas_'))
  for (const { name, kind } of Object.values(metrics)) {
    const [row = ''] = rows.filter((line) => line.includes(`\`${name}\``))
    expect(row, name).toContain(kind)
  }
})
