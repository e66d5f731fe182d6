import { afterEach, expect, it, vi } from 'vitest'
import { bigqueryClient } from './bigquery-client.js'

afterEach(() => vi.unstubAllEnvs())

const keyfile = { client_email: 'service@acme.example', private_key: 'key' }

it.each<[string, object, string | undefined, string]>([
  ['the service', keyfile, undefined, 'https://bigquery.googleapis.com/bigquery/v2'],
  [
    'another universe',
    { ...keyfile, universe_domain: 'acme.goog' },
    undefined,
    'https://bigquery.acme.goog/bigquery/v2',
  ],
  ['an emulator', {}, 'http://localhost:9050/', 'http://localhost:9050/bigquery/v2'],
])('speaks to %s, whatever the environment names', async (_, given, apiEndpoint, address) => {
  vi.stubEnv('BIGQUERY_EMULATOR_HOST', 'http://127.0.0.1:1/bigquery/v2')
  expect((await bigqueryClient(given as never, 'acme', apiEndpoint)).baseUrl).toBe(address)
})
