import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { type SnowflakeConnectorOptions, snowflakeConnector } from '../src/index.js'
import { closeAfterEach, service } from './double-connection.js'
import { ownKeys } from './people-account.js'

const page = new URL('../README.md', import.meta.url)
closeAfterEach()

it('has an example that runs as it is printed', async () => {
  const { account, double } = await service({ name: '127' })
  const own = account.databases['SHOP']!['PUBLIC']!
  Object.assign(account.users[1]!, { name: 'HABEAS' })
  Object.assign(account.warehouses, { PRIVACY: 'running' })
  const [code = '', ...more] = await readmeExamples(page)
  expect(more).toEqual([])
  const given: SnowflakeConnectorOptions[] = []
  let shown: unknown
  await runExample(`${code}\nshow(collections)\nawait connection.close()`, {
    readFile: async (name: string) => {
      expect(name).toBe('rsa_key.p8')
      return ownKeys.privateKey
    },
    snowflakeConnector: (options: SnowflakeConnectorOptions) => {
      given.push(options)
      const connector = snowflakeConnector(options)
      // the address of the double in place of the one that the name of the account stands for
      const connect = ({ host, ...secrets }: { host?: string }) => {
        expect(host).toBe('organization-account')
        return connector.connect({ ...secrets, url: double.url })
      }
      return { ...connector, connect }
    },
    show: (collections: unknown) => {
      shown = collections
    },
  })
  expect(given).toEqual([{ statementTimeoutSeconds: 120 }])
  expect(shown).toMatchObject(own.map(({ name }) => ({ name })))
})

it('names every option of the connector, and no other, and every secret', async () => {
  const text = await readFile(page, 'utf8')
  const [options = '', secrets = ''] = text.split('| secret | |')
  const named = [...options.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(() => snowflakeConnector({ nothing: true } as never)).toThrow(`it has ${named.join(', ')}.`)
  const taken = [
    'host',
    'account_identifier',
    'port',
    'user',
    'user_login_name',
    'private_key',
    'private_key_passphrase',
  ]
  const more = [
    'password',
    'database',
    'database_name',
    'db_schema',
    'schema_name',
    'warehouse_name',
    'role_name',
    'url',
  ]
  for (const name of [...taken, ...more]) expect(secrets).toContain(`\`${name}\``)
})
