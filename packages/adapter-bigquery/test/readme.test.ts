import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { type BigqueryConnectorOptions, bigqueryConnector } from '../src/index.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { serviceRules } from './double/service-rules.js'
import { memoryEngine } from './double/sql/memory-engine.js'

const page = new URL('../README.md', import.meta.url)

let server: JobServer
beforeAll(async () => {
  const fields = [{ name: 'id', type: 'INTEGER', mode: 'NULLABLE' }]
  server = await openJobServer(memoryEngine(new Map([['acme.shop.people', { fields, rows: [] }]])), serviceRules)
})
afterAll(() => server.close())

it('has an example that runs as it is printed', async () => {
  const [code = '', ...more] = await readmeExamples(page)
  expect(more).toEqual([])
  const opened: BigqueryConnectorOptions[] = []
  let shown: unknown
  await runExample(`${code}\nshow(collections)\nawait connection.close()`, {
    readFile: async (name: string) => {
      expect(name).toBe('keyfile.json')
      return JSON.stringify({ type: 'service_account', project_id: 'acme', client_email: 'a@acme', private_key: 'k' })
    },
    bigqueryConnector: (options: BigqueryConnectorOptions) => {
      opened.push(options)
      return bigqueryConnector({ ...options, apiEndpoint: server.address })
    },
    show: (collections: unknown) => {
      shown = collections
    },
  })
  expect(opened).toEqual([{ maximumBytesBilled: 50_000_000_000, labels: { team: 'privacy' } }])
  expect(shown).toMatchObject([{ name: 'people', columns: [{ name: 'id' }] }])
  expect(server.planned.map(({ configuration }) => configuration.labels)).toEqual([{ habeas: 'true', team: 'privacy' }])
})

it('names every option of the connector and every secret, and no other', async () => {
  const text = await readFile(page, 'utf8')
  const named = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  const options = ['concurrency', 'maximumBytesBilled', 'jobTimeoutSeconds', 'labels', 'apiEndpoint']
  expect(named).toEqual([...options, 'dataset', 'keyfile_creds'])
  const allowed = () => bigqueryConnector({ nothing: true } as never)
  for (const option of options) expect(allowed).toThrow(option)
})
