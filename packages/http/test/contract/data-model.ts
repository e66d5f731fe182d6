import { expect } from 'vitest'
import type { Given } from './given.js'
import { shopDataset } from './world.js'

const taxonomy = ['data_category', 'data_use', 'data_subject', 'data_qualifier']

interface Page {
  readonly items: readonly { readonly service_key: string; readonly is_default?: boolean }[]
  readonly total: number
}

interface Written {
  readonly findings: readonly { readonly type: string; readonly loc: unknown }[]
  readonly warnings: readonly { readonly loc: unknown }[]
}

const rule = { service_key: 'r', action_type: 'access', data_categories: { values: ['user'] } }

/** What sets the types of the data model apart. */
export function dataModelCases(given: Given): void {
  for (const type of taxonomy) {
    given(`${type}: ships, flagged, and is not deletable`, async ({ call }) => {
      const { body } = await call<Page>('GET', `/api/v1/${type}?size=100`)
      expect(body.items.every((item) => item.is_default)).toBe(true)
      const key = body.items[0]?.service_key
      expect(await call('DELETE', `/api/v1/${type}/${key}`)).toMatchObject({ status: 409, body: { code: 'conflict' } })
      const own = await call('POST', `/api/v1/${type}`, { body: { service_key: 'own', is_default: true } })
      expect(own.body).toMatchObject({ is_default: false })
    })
  }

  for (const path of [
    'organization/default_organization',
    'policy/default_access_policy',
    'policy/default_erasure_policy',
  ]) {
    given(`${path} is there from the start, editable and not deletable`, async ({ call }) => {
      const { body } = await call<object>('GET', `/api/v1/${path}`)
      expect((await call('PUT', `/api/v1/${path}`, { body: { ...body, description: 'Ours.' } })).status).toBe(200)
      expect((await call('DELETE', `/api/v1/${path}`)).status).toBe(409)
    })
  }

  given('DELETE of what is still referred to is 409, naming what refers to it', async ({ call }) => {
    await call('POST', '/api/v1/data_category', { body: { service_key: 'user.own' } })
    const referring = {
      service_key: 'seller',
      system_type: 'Service',
      privacy_declarations: [{ data_categories: ['user.own'] }],
    }
    await call('POST', '/api/v1/system', { body: referring })
    const answer = await call('DELETE', '/api/v1/data_category/user.own')
    expect(answer).toMatchObject({ status: 409, body: { detail: expect.stringContaining('seller') } })
    expect((await call('DELETE', '/api/v1/system/seller')).status).toBe(204)
    expect((await call('DELETE', '/api/v1/data_category/user.own')).status).toBe(204)
  })

  given('an unknown key of the taxonomy is stored with a finding that names the nearest', async ({ call }) => {
    const body = {
      service_key: 'd',
      collections: [{ name: 'c', fields: [{ name: 'f', data_categories: ['user.nmae'] }] }],
    }
    const answer = await call<Written>('POST', '/api/v1/dataset', { body })
    expect(answer.status).toBe(201)
    const finding = answer.body.findings.find(({ type }) => type === 'unknown_taxonomy_key')
    expect(finding).toMatchObject({ message: expect.stringContaining('user.name') })
    const { body: later } = await call<Written>('GET', '/api/v1/dataset/d/findings')
    expect(later.findings).toEqual(answer.body.findings)
    expect((await call('GET', '/api/v1/dataset/none/findings')).status).toBe(404)
  })

  given(
    "with taxonomy 'strict' it is refused",
    async ({ call }) => {
      const body = {
        service_key: 'd',
        collections: [{ name: 'c', fields: [{ name: 'f', data_categories: ['user.nmae'] }] }],
      }
      const loc = ['body', 'collections', 0, 'fields', 0, 'data_categories', 0]
      expect(await call('POST', '/api/v1/dataset', { body })).toMatchObject({
        status: 422,
        body: { errors: [{ loc }] },
      })
    },
    { taxonomy: 'strict' },
  )

  given('findings of a dataset say what changed around it', async ({ call }) => {
    await call('POST', '/api/v1/dataset', { body: shopDataset })
    const types = async () =>
      (await call<Written>('GET', '/api/v1/dataset/shop/findings')).body.findings.map(({ type }) => type)
    expect(await types()).toContain('orphan_dataset')
    const body = { service_key: 's', system_type: 'Service', privacy_declarations: [{ dataset_references: ['shop'] }] }
    await call('POST', '/api/v1/system', { body })
    expect(await types()).not.toContain('orphan_dataset')
  })

  given('a system needs its type; both of its shapes are one', async ({ call }) => {
    const bare = await call('POST', '/api/v1/system', { body: { service_key: 's' } })
    expect(bare).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'system_type'], type: 'missing' }] } })
    const body = {
      service_key: 's',
      system_type: 'Service',
      data_responsibility_title: 'Processor',
      joint_controller: [{ name: 'Ann' }],
      third_country_transfers: ['USA'],
      egress: [{ service_key: 'other', type: 'system', data_categories: ['user'] }],
      privacy_declarations: [{ name: 'p', data_use: 'improve', dataset_references: ['gone'], egress: ['other'] }],
    }
    const { status, body: written } = await call<Written>('POST', '/api/v1/system', { body })
    expect({ status, written }).toMatchObject({ status: 201, written: { ...body, joint_controller: { name: 'Ann' } } })
    expect(written.findings.length).toBeGreaterThan(0)
    const codes = await call('POST', '/api/v1/system', { body: { ...body, third_country_transfers: ['US'] } })
    expect(codes).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'third_country_transfers', 0] }] } })
  })

  given('unknown members of rules and of service_meta are refused, naming the place', async ({ call }) => {
    const policy = await call('POST', '/api/v1/policy', { body: { service_key: 'p', rules: [{ ...rule, mask: 1 }] } })
    expect(policy).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'rules', 0, 'mask'] }] } })
    const collections = [{ name: 'c', service_meta: { afterr: [] }, fields: [] }]
    const dataset = await call('POST', '/api/v1/dataset', { body: { service_key: 'd', collections } })
    const loc = ['body', 'collections', 0, 'service_meta', 'afterr']
    expect(dataset).toMatchObject({ status: 422, body: { errors: [{ loc }] } })
  })

  for (const method of ['POST', 'PATCH']) {
    given(`policy: ${method} of a list answers each for itself`, async ({ call }) => {
      const items = [
        { service_key: 'first', rules: [rule] },
        { service_key: 'bad', rules: [{ ...rule, data_categories: { values: [] } }] },
        { service_key: 'second' },
      ]
      const { status, body } = await call(method, '/api/v1/policy', { body: items })
      const loc = ['body', 1, 'rules', 0, 'data_categories', 'values']
      expect({ status, body }).toMatchObject({
        status: 200,
        body: {
          succeeded: [{ service_key: 'first' }, { service_key: 'second', findings: [{}] }],
          failed: [{ errors: [{ loc }], data: items[1] }],
        },
      })
      const tooMany = Array.from({ length: 51 }, (_, at) => ({ service_key: `p${at}` }))
      expect((await call(method, '/api/v1/policy', { body: tooMany })).status).toBe(422)
    })
  }

  for (const type of ['dataset', 'system', 'organization', 'registry', ...taxonomy]) {
    given(`${type} takes one only`, async ({ call }) => {
      for (const method of ['POST', 'PATCH']) {
        const answer = await call(method, `/api/v1/${type}`, { body: [{ service_key: 'a' }] })
        expect(answer).toMatchObject({ status: 422, body: { errors: [{ loc: ['body'] }] } })
      }
    })
  }
}
