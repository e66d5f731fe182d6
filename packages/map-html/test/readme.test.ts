import { createPrivacyService } from '@habeas/core'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { dataMapPage, planPage } from '../src/index.js'

it.each(['../README.md', '../../../docs/data-map.md'])('%s runs as it stands', async (page) => {
  const example =
    (await readmeExamples(new URL(page, import.meta.url))).find((code) => code.includes('dataMapPage')) ?? ''
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32, 1).toString('base64') })
  await privacy.systems.put({ service_key: 'web_shop', name: 'Web shop', system_type: 'Service' })
  const written = new Map<string, string>()
  await runExample(example, {
    ...{ privacy, dataMapPage, planPage, identities: [{ email: 'ann@example.com' }] },
    writeFile: async (name: string, text: string) => void written.set(name, text),
  })
  expect(written.get('map.html')).toContain('Web shop')
  for (const text of written.values()) expect(text).toMatch(/^<!doctype html>/)
  await privacy.close()
})
