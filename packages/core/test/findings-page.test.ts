import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { codes, pageTables } from './fixtures/documented-members.js'

const repository = resolve(import.meta.dirname, '../../..')
const text = readFileSync(join(repository, 'docs/findings.md'), 'utf8')

const documented = pageTables(text)
  .filter(([head]) => head?.[0] === '`type`')
  .flatMap(([, ...rows]) => rows.map(([type, severity = '']) => ({ type: codes(type)[0] ?? '', severity })))

/** Types of findings as the code writes them: `type` beside `severity`, or handed to a function that puts both together. */
function typesInCode(): Set<string> {
  const root = join(repository, 'packages/core/src')
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  const found = files.flatMap((name) => {
    const code = readFileSync(join(root, name), 'utf8')
    return [
      ...code.matchAll(/type: '([a-z_]+)',\s*(?:\/\/.*\s*)?severity:/g),
      ...code.matchAll(/type: \w+ \? '([a-z_]+)' : '([a-z_]+)',\s*severity:/g),
      ...code.matchAll(/const type = \w+ \? '([a-z_]+)' : '([a-z_]+)'/g),
      ...code.matchAll(/return warning\(\s*'([a-z_]+)'/g),
    ].flatMap((match) => match.slice(1))
  })
  return new Set(found)
}

it('has each type of finding once', () => {
  const types = documented.map(({ type }) => type)
  expect(types.filter((type, at) => types.indexOf(type) !== at)).toEqual([])
  expect(types.length).toBeGreaterThan(40)
})

it('has every type of finding that the code has, and no other', () => {
  // One for each kind of resource that another one names.
  const ofLinks = ['unknown_dataset', 'unknown_system', 'unknown_organization', 'unknown_registry']
  const known = new Set([...typesInCode(), ...ofLinks])
  expect(documented.map(({ type }) => type).sort()).toEqual([...known].sort())
})

it('gives each a severity', () => {
  for (const { type, severity } of documented)
    expect([type, severity]).toEqual([type, expect.stringMatching(/^(error|warning|info)\b/)])
})
