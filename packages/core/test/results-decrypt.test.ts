import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { jsonPackage } from '../src/results/json-package.js'
import { encrypted } from '../src/results/package-cipher.js'
import { decryptDocumented, documentedSnippet } from './results/documented.js'
import { content, section } from './results/sections.js'
import { bytesOf } from './results/unzip.js'

const given = content([section('shop:customer', [{ name: 'Zoë', at: '2024-05-01' }])])

it.each([
  ['16 characters', Buffer.from('test--encryption')],
  ['32 bytes in base64', Buffer.from(randomBytes(32).toString('base64'), 'base64')],
])('the documented program opens a JSON package with a key of %s', async (_, key) => {
  const sealed = String(await bytesOf(encrypted({ key, randomBytes }, jsonPackage(given))))
  expect(JSON.parse(await decryptDocumented(sealed, key))).toEqual({
    'shop:customer': [{ name: 'Zoë', at: '2024-05-01' }],
  })
})

it('it refuses another key and a changed byte', async () => {
  const key = randomBytes(16)
  const sealed = await bytesOf(encrypted({ key, randomBytes }, jsonPackage(given)))
  await expect(decryptDocumented(String(sealed), randomBytes(16))).rejects.toThrow()
  const bytes = Buffer.from(String(sealed), 'base64')
  bytes[20] = (bytes[20] as number) ^ 1
  await expect(decryptDocumented(bytes.toString('base64'), key)).rejects.toThrow()
})

it('it needs nothing but the crypto of Node', () => {
  const modules = [...documentedSnippet().matchAll(/from '([^']+)'/g)].map(([, name]) => name)
  expect(modules).toEqual(['node:crypto'])
})
