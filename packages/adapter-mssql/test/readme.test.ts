import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { type MssqlConnectorOptions, mssqlConnector } from '../src/index.js'

const page = new URL('../README.md', import.meta.url)

it('has an example that runs as it is printed, up to the server', async () => {
  const [code = '', ...more] = await readmeExamples(page)
  expect(more).toEqual([])
  const given: MssqlConnectorOptions[] = []
  const env = { MSSQL_URL: 'mssql://user:password@127.0.0.1:1/shop' }
  const running = runExample(code, {
    process: { env },
    mssqlConnector: (options: MssqlConnectorOptions) => {
      given.push(options)
      return mssqlConnector(options)
    },
  })
  await expect(running).rejects.toMatchObject({ code: 'connection_failed', details: { reason: 'refused' } })
  expect(given).toEqual([{ statementTimeoutSeconds: 120 }])
})

it('names every option of the connector, and no other', async () => {
  const text = await readFile(page, 'utf8')
  const [options = ''] = text.split('| secret | |')
  const named = [...options.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).join(', ')
  expect(() => mssqlConnector({ nothing: true } as never)).toThrow(
    `mssqlConnector has no option nothing: it has ${named}.`,
  )
})

it.each<[MssqlConnectorOptions, string]>([
  [{ poolSize: 0 }, 'poolSize of mssqlConnector must be a whole number from 1 to 100'],
  [{ lockTimeoutSeconds: 0 }, 'lockTimeoutSeconds of mssqlConnector must be a number from 0.01 to 2000000'],
  [{ applicationName: 1 as never }, 'applicationName of mssqlConnector must be text'],
  [[] as never, 'The options of mssqlConnector must be an object'],
])('refuses options out of range: %j', (options, message) => {
  expect(() => mssqlConnector(options)).toThrow(message)
})
