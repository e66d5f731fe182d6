import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { identitiesOf } from './identities.js'
import { processTerminal } from './terminal.js'

const folder = mkdtempSync(join(tmpdir(), 'habeas-identities-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('a file may begin with the mark of its encoding', async () => {
  writeFileSync(join(folder, 'people.json'), '\uFEFF[{"email": "ann@example.com"}]')
  const terminal = { ...processTerminal(), folder }
  expect(await identitiesOf(terminal, { identities: 'people.json' })).toEqual([{ email: 'ann@example.com' }])
})
