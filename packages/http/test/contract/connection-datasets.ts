import { expect } from 'vitest'
import type { Given } from './given.js'
import { shopDataset } from './world.js'

const path = '/api/v1/connection/shop'

interface Notices {
  readonly findings: readonly { readonly type: string }[]
  readonly warnings: readonly { readonly loc: unknown }[]
}

/** Datasets behind a connection. */
export function connectionDatasetCases(given: Given): void {
  given(
    'PATCH stores a dataset, links it and says what is noteworthy about it',
    async ({ call }) => {
      const body = {
        service_key: 'extra',
        collections: [{ name: 'customer', fields: [{ name: 'gone' }] }],
        colections: [],
      }
      const answer = await call<Notices>('PATCH', `${path}/dataset`, { body })
      expect(answer).toMatchObject({ status: 200, body: { service_key: 'extra', connection_key: 'shop' } })
      const types = answer.body.findings.map(({ type }) => type)
      expect(types).toEqual(expect.arrayContaining(['orphan_dataset', 'unreachable_collection']))
      expect(answer.body.warnings.map(({ loc }) => loc)).toEqual([['colections']])
      const { body: stored } = await call('GET', '/api/v1/dataset/extra')
      expect(stored).toMatchObject({ connection_key: 'shop' })
      expect((await call('GET', `${path}/dataset/extra`)).body).toStrictEqual(stored)
    },
    { shop: true },
  )

  given(
    'PATCH says what is open and how to answer it, and validate_dataset says the same',
    async ({ call }) => {
      const references = [{ dataset: 'extra', field: 'people.id' }]
      const body = {
        service_key: 'extra',
        collections: [
          { name: 'people', fields: [{ name: 'id' }, { name: 'email', service_meta: { identity: 'email' } }] },
          { name: 'visits', fields: [{ name: 'id' }, { name: 'person_id', service_meta: { references } }] },
        ],
      }
      const open = {
        summary: expect.stringMatching(/^1 reference of 'extra' is open: /),
        references: [
          {
            name: 'extra:visits.person_id',
            collection: 'visits',
            field: 'person_id',
            to: 'extra:people',
            kinds: expect.arrayContaining(['reference']),
            why: expect.any(String),
            answers: expect.arrayContaining([
              { write: 'direction', at: 'visits.person_id', value: 'from', means: expect.any(String) },
              { write: 'owner', at: 'visits', value: ['person_id'], means: expect.any(String) },
            ]),
          },
        ],
      }
      expect((await call('PATCH', `${path}/dataset`, { body })).body).toMatchObject({ open })
      expect((await call('PUT', `${path}/validate_dataset`, { body })).body).toMatchObject({ open })
      expect((await call('GET', '/api/v1/dataset/extra')).body).not.toHaveProperty('open')
    },
    { shop: true },
  )

  given(
    'PATCH of a list answers each dataset for itself, and repeats what was sent',
    async ({ call }) => {
      await call('POST', '/api/v1/connection', { body: { key: 'other', connection_type: 'postgres' } })
      const bad = { service_key: 'a b' }
      const { status, body } = await call('PATCH', '/api/v1/connection/other/dataset', {
        body: [{ service_key: 'first' }, bad, { service_key: 'shop' }],
        undescribed: true,
      })
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          succeeded: [{ service_key: 'first', connection_key: 'other' }],
          failed: [
            { errors: [{ loc: ['body', 1, 'service_key'] }], data: bad },
            { message: expect.stringContaining("'shop'"), data: { service_key: 'shop' } },
          ],
        },
      })
    },
    { shop: true },
  )

  given(
    'linking a dataset to a second connection is 409',
    async ({ call }) => {
      await call('POST', '/api/v1/connection', { body: { key: 'other', connection_type: 'postgres' } })
      const answer = await call('PATCH', '/api/v1/connection/other/dataset', { body: { service_key: 'shop' } })
      expect(answer).toMatchObject({
        status: 409,
        body: { code: 'conflict', detail: expect.stringContaining("'shop'") },
      })
      expect((await call('GET', '/api/v1/dataset/shop')).body).toMatchObject({ connection_key: 'shop' })
    },
    { shop: true },
  )

  given(
    'lists and reads the datasets of the connection, and no others',
    async ({ call }) => {
      await call('POST', '/api/v1/dataset', { body: { service_key: 'free' } })
      await call('PATCH', `${path}/dataset`, { body: { service_key: 'extra', name: 'Another' } })
      const list = async (search: string) =>
        (await call<{ items: { service_key: string }[]; total: number }>('GET', `${path}/dataset${search}`)).body
      expect((await list('')).items.map((item) => item.service_key)).toEqual(['extra', 'shop'])
      expect(await list('?search=anoth')).toMatchObject({ total: 1, items: [{ service_key: 'extra' }] })
      expect(await list('?size=1&page=2')).toMatchObject({ total: 2, pages: 2, items: [{ service_key: 'shop' }] })
      expect((await call('GET', `${path}/dataset/free`)).status).toBe(404)
      expect((await call('GET', `${path}/dataset/none`)).status).toBe(404)
    },
    { shop: true },
  )

  given(
    'DELETE unlinks a dataset, which stays',
    async ({ call }) => {
      expect(await call('DELETE', `${path}/dataset/shop`)).toMatchObject({ status: 204, body: undefined })
      expect((await call('DELETE', `${path}/dataset/shop`)).status).toBe(404)
      expect((await call('GET', '/api/v1/dataset/shop')).body).toMatchObject({ connection_key: null, name: 'Shop' })
    },
    { shop: true },
  )

  given(
    '422 for a dataset that is not valid, naming the place',
    async ({ call }) => {
      const body = {
        service_key: 'bad',
        collections: [{ name: 'c', fields: [{ name: '' }, { data_categories: 'user' }] }],
      }
      const errors = [
        { loc: ['body', 'collections', 0, 'fields', 0, 'name'] },
        { loc: ['body', 'collections', 0, 'fields', 1, 'name'] },
        { loc: ['body', 'collections', 0, 'fields', 1, 'data_categories'] },
      ]
      for (const [method, sub] of [
        ['PATCH', 'dataset'],
        ['PUT', 'validate_dataset'],
      ] as const) {
        expect(await call(method, `${path}/${sub}`, { body })).toMatchObject({ status: 422, body: { errors } })
      }
      expect((await call('GET', '/api/v1/dataset/bad')).status).toBe(404)
    },
    { shop: true },
  )

  given(
    'validate_dataset checks and stores nothing',
    async ({ call }) => {
      const good = { ...shopDataset, name: 'Renamed', typo: 1 }
      const answer = await call('PUT', `${path}/validate_dataset`, { body: good })
      expect(answer).toMatchObject({
        status: 200,
        body: {
          dataset: { service_key: 'shop', name: 'Renamed' },
          traversal_details: { is_traversable: true, msg: null },
          warnings: [{ loc: ['typo'] }],
        },
      })
      expect((await call('GET', '/api/v1/dataset/shop')).body).toMatchObject({ name: 'Shop' })
      const far = { service_key: 'far', collections: [{ name: 'island', fields: [{ name: 'id' }] }] }
      const { body } = await call('PUT', `${path}/validate_dataset`, { body: far })
      expect(body).toMatchObject({
        traversal_details: { is_traversable: false, msg: expect.stringContaining('far:island') },
      })
      expect((await call('GET', '/api/v1/dataset/far')).status).toBe(404)
    },
    { shop: true },
  )

  given(
    'names of older servers are read, and named in warnings',
    async ({ call }) => {
      const body = {
        fides_key: 'old',
        collections: [{ name: 'c', fields: [{ name: 'f', fidesops_meta: { primary_key: true } }] }],
      }
      const answer = await call<Notices>('PATCH', `${path}/dataset`, { body, undescribed: true })
      expect(answer).toMatchObject({ status: 200, body: { service_key: 'old', connection_key: 'shop' } })
      expect(answer.body.warnings.length).toBeGreaterThan(0)
      expect(answer.body).toMatchObject({ collections: [{ fields: [{ service_meta: { primary_key: true } }] }] })
    },
    { shop: true },
  )
}
