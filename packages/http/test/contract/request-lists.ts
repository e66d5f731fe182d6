import { expect } from 'vitest'
import type { Given } from './given.js'
import { submitted } from './privacy-requests.js'
import type { Served } from './served.js'

const path = '/api/v1/privacy-request'

interface Page {
  readonly items: readonly { readonly id: string; readonly external_id: string | null }[]
  readonly total: number
}

/** Five requests, a second apart, named by their external ids; `a` is complete, `b` in error, `c` canceled. */
async function fill(served: Served): Promise<ReadonlyMap<string, string>> {
  const { call, connector, runtime } = served
  const ids = new Map<string, string>()
  await call('POST', '/api/v1/policy', { body: { service_key: 'other' } })
  for (const [at, external_id] of ['a', 'b', 'c', 'd', 'd2'].entries()) {
    const email = external_id === 'a' ? 'ann@example.com' : 'ben@example.com'
    const identities = [{ email }, { customer: 40 + at }]
    const policy_key = external_id === 'd2' ? 'other' : 'default_access_policy'
    ids.set(external_id, await submitted(served, { external_id, identities, policy_key }))
    runtime.advance(1_000)
  }
  await call('POST', `${path}/${ids.get('a')}/run`)
  runtime.advance(1_000)
  connector.failNext({ operation: 'read' })
  await call('POST', `${path}/${ids.get('b')}/run`)
  await call('PATCH', `${path}/administrate/cancel`, { body: [ids.get('c')] })
  return ids
}

const created = (second: number) => `2025-01-01T00:00:0${second}Z`

/** External ids by filter; `ID(x)` stands for the id of request x. */
const filters: Readonly<Record<string, readonly string[]>> = {
  '': ['d2', 'd', 'c', 'b', 'a'],
  'status=complete': ['a'],
  'status=error&status=canceled': ['c', 'b'],
  'status=paused': [],
  'policy_key=other': ['d2'],
  'external_id=d': ['d'],
  'external_id=d*': ['d2', 'd'],
  'external_id=D': [],
  'request_id=ID(b)': ['b'],
  'request_id=pri_*': ['d2', 'd', 'c', 'b', 'a'],
  'request_id=pri_': [],
  'identity=ann@example.com': ['a'],
  'identity=ben%40example.com': ['d2', 'd', 'c', 'b'],
  'identity=42': ['c'],
  'identity=Ann@example.com': [],
  [`created_gt=${created(2)}`]: ['d2', 'd'],
  [`created_lt=${created(2)}`]: ['b', 'a'],
  [`created_gt=${created(0)}&created_lt=${created(3)}`]: ['c', 'b'],
  'started_gt=2025-01-01': ['b', 'a'],
  'started_lt=2025-01-01': [],
  [`completed_lt=${created(9)}`]: ['a'],
  [`errored_gt=${created(0)}`]: ['b'],
  'status=complete&identity=ben@example.com': [],
  'sort_direction=asc': ['a', 'b', 'c', 'd', 'd2'],
  'sort_field=external_id': ['d2', 'd', 'c', 'b', 'a'],
  'sort_field=status&sort_direction=asc': ['c', 'a', 'b', 'd', 'd2'],
  'sort_field=finished_processing_at&sort_direction=asc': ['a', 'b', 'c', 'd', 'd2'],
  'sort_field=policy_key': ['d2', 'd', 'c', 'b', 'a'],
  'sort_field=id&sort_direction=asc': ['a', 'b', 'c', 'd', 'd2'],
  'size=2&page=2': ['c', 'b'],
  'size=2&page=4': [],
}

const badFilters: Readonly<Record<string, readonly string[]>> = {
  'status=done': ['status'],
  'status=complete&status=done': ['status'],
  'created_lt=yesterday': ['created_lt'],
  'created_lt=2025-01-01&created_gt=2025-01-02': ['created_lt'],
  'completed_gt=2025-01-01&errored_gt=2025-01-01': ['completed_gt', 'errored_gt'],
  'sort_field=identity': ['sort_field'],
  'sort_direction=up': ['sort_direction'],
  'verbose=loud': ['verbose'],
  'include_identities=': ['include_identities'],
  'page=0&size=0': ['page', 'size'],
  'external_id=a&external_id=b': ['external_id'],
}

/** The list of requests. */
export function requestListCases(given: Given): void {
  const filled = given.sharing(fill, { shop: true })
  for (const [search, expected] of Object.entries(filters)) {
    filled(`lists requests by '${search}'`, async (served, ids) => {
      const asked = search.replace(/ID\((.+)\)/, (_, name: string) => ids.get(name) ?? '')
      const { status, body } = await served.call<Page>('GET', `${path}?${asked}`)
      expect(status).toBe(200)
      expect(body.items.map((item) => item.external_id)).toEqual(expected)
      expect(body.total).toBe(/size/.test(search) ? 5 : expected.length)
    })
  }

  for (const [search, names] of Object.entries(badFilters)) {
    filled(`refuses the filter '${search}'`, async ({ call }) => {
      const { status, body } = await call<{ errors: { loc: string[] }[] }>('GET', `${path}?${search}`)
      expect(status).toBe(422)
      const named = body.errors.map(({ loc }) => loc)
      expect(named.map(([first]) => first)).toEqual(named.map(() => 'query'))
      expect(named.map(([, name]) => name).sort()).toEqual(names)
    })
  }

  filled('results are shown when verbose', async (served) => {
    const list = async (search: string) => (await served.call('GET', `${path}?status=complete${search}`)).body
    const results = [
      { dataset: 'shop', collection: 'customer', outcomes: [{ outcome: 'delivered', row_count: 1 }] },
      {},
    ]
    expect(await list('')).toMatchObject({ items: [{ results: null }] })
    expect(await list('&verbose=true')).toMatchObject({ items: [{ results }] })
  })

  filled('the list comes as CSV, with identities for those alone who may view data', async ({ call, tokenWith }) => {
    const reader = await tokenWith('privacy-request:read')
    const viewer = await tokenWith('privacy-request:read', 'privacy-request:view_data')
    const search = '?download_csv=true&policy_key=other'
    const { status, headers, body } = await call<string>('GET', `${path}${search}`, { token: reader })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8'])
    expect(headers.get('content-disposition')).toMatch(/^attachment; filename=/)
    expect(body.trimEnd().split('\n')).toHaveLength(2)
    expect(body).not.toContain('ben@')
    expect((await call<string>('GET', `${path}${search}`, { token: viewer })).body).toContain('ben@example.com')
    const refused = await call('GET', `${path}${search}&include_identities=true`, { token: reader })
    expect(refused.status).toBe(403)
  })

  given('pages of equals are stable: every request is on one page, whatever they are sorted by', async (served) => {
    const ids = new Set<string>()
    for (let count = 0; count < 23; count++) ids.add(await submitted(served))
    for (const field of ['created_at', 'status', 'due_date', 'policy_key', 'external_id', 'finished_processing_at']) {
      for (const direction of ['asc', 'desc']) {
        const seen: string[] = []
        for (const page of [1, 2, 3, 4]) {
          const search = `sort_field=${field}&sort_direction=${direction}&size=7&page=${page}`
          const { body } = await served.call<Page>('GET', `${path}?${search}`)
          expect(body).toMatchObject({ total: 23, pages: 4, page, size: 7 })
          seen.push(...body.items.map(({ id }) => id))
        }
        const inOrder = [...ids].sort()
        expect(seen).toEqual(direction === 'asc' ? inOrder : inOrder.reverse())
      }
    }
  })
}
