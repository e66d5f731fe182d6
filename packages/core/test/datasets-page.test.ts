import { readFileSync } from 'node:fs'
import { URL } from 'node:url'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { createPrivacyService, schemas } from '../src/index.js'
import { dataTypeNames } from '../src/model/data-type.js'
import { codes, documentedMembers, expectMembers, pageTables } from './fixtures/documented-members.js'

const page = new URL('../../../docs/datasets.md', import.meta.url)
const text = readFileSync(page, 'utf8')

it('names every member of the schemas, once, and no other, with its default and choices', () => {
  expectMembers(schemas.dataset, documentedMembers(text, 'dataset'))
  const types = pageTables(text).find(([head]) => head?.[0] === '`data_type`') ?? []
  expect(types.slice(1).map(([name]) => codes(name)[0])).toEqual([...dataTypeNames])
})

it('has an example that is read whole and leaves nothing open', async () => {
  const example = /```yaml\n([\s\S]*?)```/.exec(text)?.[1] ?? ''
  const [code = ''] = await readmeExamples(page)
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  await privacy.connections.put({ key: 'shop', connectionType: 'postgres', access: 'write' })
  const told: unknown[][] = []
  const console = { log: (...line: unknown[]) => told.push(line) }
  await runExample(code, { privacy, readFile: async () => example, console })
  // Which system holds a dataset is said by the system, and there is no database behind the connection.
  const types = ['orphan_dataset', 'live_schema_unknown'].map((type) => expect.objectContaining({ type }))
  expect(told).toEqual([[[], types]])
  const { items } = await privacy.connections.datasets('shop')
  expect(items.map(({ service_key, collections }) => [service_key, collections.length])).toEqual([['shop', 7]])
  const { open } = await privacy.datasets.validate(items[0] as never)
  expect(open.references).toEqual([])
  await privacy.close()
})

it('has an example that reads several files and names what is wrong in them', async () => {
  const [, code = ''] = await readmeExamples(page)
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32).toString('base64') })
  const files: Record<string, string> = {
    'shop.yml': 'dataset: {service_key: shop}',
    'systems.json': '{"system": [\n {"service_key": "web"}]}',
    'notes.txt': 'none',
  }
  const told: unknown[] = []
  const run = () =>
    runExample(code, {
      privacy,
      readdir: async () => Object.keys(files),
      readFile: async (path: string) => files[path.replace('datamap/', '')],
      console: { log: (line: string) => told.push(line) },
    })
  await run()
  expect(told).toEqual(['systems.json:2:2 is required'])
  expect((await privacy.datasets.list()).total).toBe(0)
  files['systems.json'] = '{"system": [{"service_key": "web", "system_type": "Service"}]}'
  await run()
  expect(told.length).toBe(1)
  expect([(await privacy.datasets.list()).total, (await privacy.systems.list()).total]).toEqual([1, 1])
  await privacy.close()
})
