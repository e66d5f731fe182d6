import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { type MysqlConnectorOptions, mariadbConnector, mysqlConnector } from '../src/index.js'

const page = new URL('../README.md', import.meta.url)

it('has an example that runs as it is printed, up to the server', async () => {
  const [code = '', ...more] = await readmeExamples(page)
  expect(more).toEqual([])
  const given: MysqlConnectorOptions[] = []
  const env = { MYSQL_URL: 'mysql://user:password@127.0.0.1:1/shop' }
  const running = runExample(code, {
    process: { env },
    mysqlConnector: (options: MysqlConnectorOptions) => {
      given.push(options)
      return mysqlConnector(options)
    },
  })
  await expect(running).rejects.toMatchObject({ code: 'connection_failed', details: { reason: 'refused' } })
  expect(given).toEqual([{ statementTimeoutSeconds: 120 }])
})

it('names every option of the connectors, and no other', async () => {
  const text = await readFile(page, 'utf8')
  const [options = ''] = text.split('| secret | |')
  const named = [...options.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name).join(', ')
  expect(() => mysqlConnector({ nothing: true } as never)).toThrow(
    `mysqlConnector has no option nothing: it has ${named}.`,
  )
  expect(() => mariadbConnector({ nothing: true } as never)).toThrow(
    `mariadbConnector has no option nothing: it has ${named}.`,
  )
})

it.each<[MysqlConnectorOptions, string]>([
  [{ poolSize: 0 }, 'poolSize of mysqlConnector must be a whole number from 1 to 100'],
  [{ lockTimeoutSeconds: 0 }, 'lockTimeoutSeconds of mysqlConnector must be a number from 0.01 to 2000000'],
  [{ applicationName: 1 as never }, 'applicationName of mysqlConnector must be text'],
  [[] as never, 'The options of mysqlConnector must be an object'],
])('refuses options out of range: %j', (options, message) => {
  expect(() => mysqlConnector(options)).toThrow(message)
})
