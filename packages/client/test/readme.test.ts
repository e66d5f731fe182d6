import { createPrivacyService } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { createPrivacyClient, type PrivacyClientOptions } from '../src/index.js'
import { openService, root } from './served.js'

it('the README runs as it stands, in one process', async () => {
  const [first = '', second = ''] = await readmeExamples(new URL('../README.md', import.meta.url))
  const privacy = openService()
  const handler = createHttpHandler(privacy, { basePath: '/privacy' })
  const written: unknown[] = []
  await runExample(`${first}\nawait settled(id)\n${second}\nwritten.push(items.length)`, {
    createPrivacyClient: (options: PrivacyClientOptions) => createPrivacyClient({ ...options, fetch: handler }),
    ...root,
    email: 'ann@example.com',
    settled: privacy.requests.settled,
    written,
    async writeFile(name: string, stream: AsyncIterable<Uint8Array>) {
      const pieces: Uint8Array[] = []
      for await (const piece of stream) pieces.push(piece)
      written.push(name.replace(/^.*(\.\w+)$/, '$1'), JSON.parse(Buffer.concat(pieces).toString()))
    },
  })
  expect(written).toEqual([
    '.json',
    { nothing_found: expect.stringContaining('No place was searched'), searched: [] },
    1,
  ])
  await privacy.close()
})

it('calls the service of a test without a port, as docs/testing.md has it', async () => {
  const [, , , example = ''] = await readmeExamples(new URL('../../../docs/testing.md', import.meta.url))
  const totals: number[] = []
  await runExample(`${example}\ntotals.push(total); await privacy.close()`, {
    ...{ createPrivacyClient, createPrivacyService, createHttpHandler, totals },
    encryptionKey: Buffer.alloc(32, 1).toString('base64'),
  })
  expect(totals).toEqual([0])
})
