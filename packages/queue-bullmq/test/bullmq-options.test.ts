import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { readOptions } from '../src/bullmq-options.js'
import { bullmqQueue } from '../src/index.js'

const url = 'redis://host:6379'

it.each([
  ['url', { url: 'http://user:secret@host' }],
  ['url', {}],
  ['name', { url, name: 'a:b' }],
  ['prefix', { url, prefix: '' }],
  ['redis', { url, redis: null }],
  ['redis', { url, redis: { keyPrefix: 'secret' } }],
  ['host', { url, host: 'secret' }],
])('names the option %s', (option, options) => {
  const opened = () => bullmqQueue(options as never)
  expect(opened).toThrow(expect.objectContaining({ code: 'misconfigured', details: { option } }))
  expect(opened).not.toThrow(/secret/)
})

it('lists every option in its README', async () => {
  const text = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const named = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(named.sort()).toEqual(Object.keys(readOptions({ url })).sort())
})
