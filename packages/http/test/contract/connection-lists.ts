import { expect } from 'vitest'
import type { Given } from './given.js'
import type { Served } from './served.js'

const path = '/api/v1/connection'

interface Page {
  readonly items: readonly { readonly key: string }[]
  readonly total: number
}

interface Types {
  readonly items: readonly { readonly identifier: string; readonly type: string; readonly human_readable: string }[]
  readonly total: number
}

const connections = [
  { key: 'alpha', name: 'Zulu', connection_type: 'postgres', description: 'Sales of the NORTH' },
  { key: 'beta', name: 'Yankee', connection_type: 'mysql', disabled: true },
  { key: 'gamma', name: 'Xray', connection_type: 'postgres' },
  { key: 'delta', name: 'North paper', connection_type: 'manual_webhook' },
  { key: 'echo', name: 'Papers', connection_type: 'manual', disabled: true },
]

/** By name: North paper, Papers, Xray, Yankee, Zulu. */
const byName = ['delta', 'echo', 'gamma', 'beta', 'alpha']

async function fill({ call, connector }: Served): Promise<void> {
  await call('PATCH', path, { body: connections })
  for (const key of ['alpha', 'gamma']) await call('PUT', `${path}/${key}/secret?verify=false`, { body: { host: 'h' } })
  await call('GET', `${path}/alpha/test`)
  connector.failNext({ operation: 'connect' })
  await call('GET', `${path}/gamma/test`)
}

const filters: Readonly<Record<string, readonly string[]>> = {
  '': byName,
  'connection_type=postgres': ['gamma', 'alpha'],
  'connection_type=postgres&connection_type=mysql': ['gamma', 'beta', 'alpha'],
  'connection_type=bigquery': [],
  'disabled=true': ['echo', 'beta'],
  'disabled=false': ['delta', 'gamma', 'alpha'],
  'test_status=succeeded': ['alpha'],
  'test_status=passed': ['alpha'],
  'test_status=true': ['alpha'],
  'test_status=failed': ['gamma'],
  'test_status=false': ['gamma'],
  'test_status=untested': ['delta', 'echo', 'beta'],
  'system_type=database': ['gamma', 'beta', 'alpha'],
  'system_type=manual': ['delta', 'echo'],
  'system_type=saas': [],
  'search=north': ['delta', 'alpha'],
  'search=ZULU': ['alpha'],
  'search=gam': ['gamma'],
  'search=%25': [],
  'search=': byName,
  'search=paper&disabled=true': ['echo'],
  'connection_type=postgres&connection_type=manual&system_type=manual': ['echo'],
  'size=2&page=2': ['gamma', 'beta'],
  'size=2&page=3': ['alpha'],
  'size=2&page=4': [],
  'somebody_elses=1': byName,
}

const badFilters: Readonly<Record<string, string>> = {
  'connection_type=oracle': 'connection_type',
  'disabled=perhaps': 'disabled',
  'test_status=good': 'test_status',
  'system_type=tape': 'system_type',
  'page=0': 'page',
  'page=1.5': 'page',
  'page=99999999999999999999': 'page',
  'size=0': 'size',
  'size=101': 'size',
  'size=ten': 'size',
  'page=1&page=2': 'page',
  'disabled=': 'disabled',
}

/** Lists of connections and of their kinds. */
export function connectionListCases(given: Given): void {
  const filled = given.sharing(fill)
  for (const [search, keys] of Object.entries(filters)) {
    filled(`lists connections by '${search}'`, async (served) => {
      // The parameter of somebody else is none of the document's.
      const known = search.replace('somebody_elses=1', '')
      if (known !== search) expect((await served.fetch(`${path}?${search}`)).status).toBe(401)
      const { status, body } = await served.call<Page>('GET', `${path}/?${known}`)
      expect(status).toBe(200)
      expect(body.items.map(({ key }) => key)).toEqual(keys)
      const sized = /size/.test(search)
      expect(body).toMatchObject({
        total: sized ? 5 : keys.length,
        size: sized ? 2 : 50,
        page: Number(/page=(\d)/.exec(search)?.[1] ?? 1),
        pages: sized ? 3 : Math.ceil(keys.length / 50),
      })
    })
  }

  for (const [search, name] of Object.entries(badFilters)) {
    filled(`refuses the filter '${search}'`, async ({ call }) => {
      const { status, body } = await call<{ errors: { loc: unknown[] }[] }>('GET', `${path}?${search}`)
      expect(status).toBe(422)
      expect(body.errors.map(({ loc }) => loc.slice(0, 2))).toEqual([['query', name]])
    })
  }

  given('pages of equals are stable: every connection is on one page', async ({ call }) => {
    const keys = Array.from({ length: 23 }, (_, at) => `db${String(at).padStart(2, '0')}`)
    const body = keys.toReversed().map((key) => ({ key, name: 'Equal', connection_type: 'postgres' }))
    await call('PATCH', path, { body })
    const listed: string[] = []
    for (const page of [1, 2, 3, 4]) {
      const { body } = await call<Page>('GET', `${path}?size=7&page=${page}`)
      expect(body).toMatchObject({ total: 23, pages: 4, page, size: 7 })
      listed.push(...body.items.map(({ key }) => key))
    }
    expect(listed).toEqual(keys)
  })

  filled('every bad filter is named in one answer', async ({ call }) => {
    const { body } = await call<{ errors: { loc: unknown[] }[] }>('GET', `${path}?page=x&disabled=x&test_status=x`)
    expect(body.errors.map(({ loc }) => loc[1]).sort()).toEqual(['disabled', 'page', 'test_status'])
  })

  filled('lists the kinds of connections', async ({ call }) => {
    const { body } = await call<Types>('GET', '/api/v1/connection_type')
    const kinds = ['postgres', 'mongodb', 'mysql', 'mariadb', 'mssql', 'redshift', 'snowflake', 'bigquery', 'timescale']
    expect(
      body.items
        .filter(({ type }) => type === 'database')
        .map(({ identifier }) => identifier)
        .sort(),
    ).toEqual(kinds.sort())
    expect(body.items).toContainEqual({ identifier: 'postgres', type: 'database', human_readable: 'PostgreSQL' })
    const some = async (search: string) =>
      (await call<Types>('GET', `/api/v1/connection_type?${search}`)).body.items.map(({ identifier }) => identifier)
    expect(await some('system_type=manual')).toEqual(['manual', 'manual_webhook'])
    expect((await some('search=SQL')).sort()).toEqual(['mssql', 'mysql', 'postgres'])
    expect(await some('search=SQL&size=2&page=2')).toHaveLength(1)
    expect(await some('search=sql&system_type=manual')).toEqual([])
    expect((await call('GET', '/api/v1/connection_type?size=4&page=3')).body).toMatchObject({ total: 11, pages: 3 })
    expect((await call('GET', '/api/v1/connection_type?system_type=x')).status).toBe(422)
  })

  filled('every listed kind has a JSON Schema of its secrets', async ({ call }) => {
    const { body } = await call<Types>('GET', '/api/v1/connection_type')
    for (const { identifier } of body.items) {
      const answer = await call('GET', `/api/v1/connection_type/${identifier}/secret`)
      expect(answer).toMatchObject({ status: 200, body: { type: 'object', additionalProperties: false } })
    }
    const { body: redshift } = await call('GET', '/api/v1/connection_type/redshift/secret')
    expect(redshift).toMatchObject({
      properties: { host: {}, port: {}, user: {}, password: {}, url: {}, db_schema: { default: 'public' } },
    })
    const { body: bigquery } = await call('GET', '/api/v1/connection_type/bigquery/secret')
    expect(bigquery).toMatchObject({ properties: { dataset: {}, keyfile_creds: {} } })
    expect((await call('GET', '/api/v1/connection_type/oracle/secret')).status).toBe(404)
  })
}
