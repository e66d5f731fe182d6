import { expect } from 'vitest'
import type { Given } from './given.js'
import { shopDataset } from './world.js'

const evaluate = '/api/v1/policy/acceptable_use/evaluate'

const policy = {
  service_key: 'acceptable_use',
  rules: [
    { service_key: 'ads', data_categories: { values: ['user.contact'] }, data_uses: { values: ['advertising'] } },
    { service_key: 'staff', data_subjects: { matches: 'NONE', values: ['customer'] }, data_qualifier: 'aggregated' },
  ],
}
const system = {
  service_key: 'web_shop',
  system_type: 'Service',
  privacy_declarations: [
    {
      name: 'Newsletter',
      data_categories: ['user.name'],
      data_use: 'advertising.first_party',
      data_subjects: ['customer'],
      dataset_references: ['shop'],
    },
  ],
}

/** What cases look at of the answers. */
interface Told {
  readonly id: string
  readonly items: readonly { readonly id: string }[]
  readonly detail: string
  readonly findings: readonly { readonly type: string }[]
}

/** Whether systems declare what a policy prohibits. */
export function evaluationCases(given: Given): void {
  const describe = async ({ call }: Parameters<Parameters<Given>[1]>[0]) => {
    await call('POST', '/api/v1/dataset', { body: shopDataset })
    await call('POST', '/api/v1/system', { body: system })
    return call<Told>('POST', '/api/v1/policy', { body: policy })
  }

  given('a policy is evaluated, and the evaluation listed, read and deleted', async (served) => {
    const { call, runtime } = served
    await describe(served)
    const made = await call<Told>('POST', evaluate)
    const document = { version: 1, hash: expect.any(String) }
    const summary = {
      id: made.body.id,
      policy_key: 'acceptable_use',
      status: 'FAIL',
      violation_count: 1,
      created_at: runtime.now().toISOString(),
      created_by: 'root',
    }
    const evaluation = {
      ...summary,
      violations: [
        {
          policy: 'acceptable_use',
          rule: 'ads',
          system: 'web_shop',
          declaration: 'Newsletter',
          dataset: 'shop',
          collection: 'customer',
          field: 'email',
          data_categories: ['user.contact.email'],
          data_uses: ['advertising.first_party'],
          data_subjects: [],
          data_qualifier: null,
          detail: expect.stringContaining(
            "in field 'shop:customer.email', which rule 'ads' of policy 'acceptable_use'",
          ),
        },
      ],
      warnings: [],
      evaluated: {
        policy: { key: 'acceptable_use', ...document },
        systems: [{ key: 'web_shop', ...document }],
        datasets: [{ key: 'shop', ...document }],
        taxonomy_hash: expect.any(String),
      },
    }
    expect({ status: made.status, body: made.body }).toStrictEqual({ status: 201, body: evaluation })
    const path = `/api/v1/evaluation/${made.body.id}`
    expect((await call('GET', path)).body).toStrictEqual(made.body)
    expect((await call('GET', '/api/v1/evaluation')).body).toMatchObject({ total: 1, items: [summary] })
    expect((await call<Told>('GET', '/api/v1/evaluation')).body.items[0]).not.toHaveProperty('violations')
    for (const [query, total] of [
      ['policy_key=acceptable_use&status=FAIL', 1],
      ['status=PASS', 0],
      ['policy_key=other', 0],
    ] as const)
      expect((await call('GET', `/api/v1/evaluation?${query}`)).body).toMatchObject({ total })
    expect((await call('GET', '/api/v1/evaluation?status=ok')).status).toBe(422)
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', path)).status).toBe(404)
    expect((await call('DELETE', path)).status).toBe(404)
  })

  given('it is evaluated for some systems, and for those of a registry', async (served) => {
    const { call } = served
    await describe(served)
    await call('POST', '/api/v1/registry', { body: { service_key: 'sales' } })
    const body = { service_key: 'till', system_type: 'Service', registry_service_key: 'sales' }
    expect((await call('POST', '/api/v1/system', { body })).body).toMatchObject(body)
    for (const selected of [{ systems: ['till'] }, { registries: ['sales'], systems: null }])
      expect((await call('POST', evaluate, { body: selected })).body).toMatchObject({
        status: 'PASS',
        evaluated: { systems: [{ key: 'till' }], datasets: [] },
        warnings: [{ loc: ['system', 'till', 'privacy_declarations'] }],
      })
    const unknown = await call('POST', evaluate, { body: { systems: ['till', 'none'] } })
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'systems', 1] }] } })
    const typo = await call('POST', evaluate, { body: { system: ['till'] } })
    expect(typo).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'system'], type: 'unknown_member' }] } })
    expect((await call('POST', '/api/v1/policy/none/evaluate')).status).toBe(404)
  })

  given('409 names the keys that do not exist', async (served) => {
    const { call } = served
    await describe(served)
    const declarations = [{ data_categories: ['user.nmae'], dataset_references: ['gone'] }]
    await call('PUT', '/api/v1/system/web_shop', { body: { ...system, privacy_declarations: declarations } })
    const { status, body } = await call<Told>('POST', evaluate)
    expect({ status, body }).toMatchObject({ status: 409, body: { code: 'conflict' } })
    for (const named of ["'user.nmae'", "'user.name'", "the dataset 'gone', which does not exist"])
      expect(body.detail).toContain(named)
  })

  given(
    "with evaluateWrites 'findings' a write names the violations it is part of",
    async (served) => {
      const { body } = await describe(served)
      expect(body.findings).toMatchObject([{ type: 'policy_violation', loc: ['acceptable_use', 'rules', 0] }])
    },
    { evaluateWrites: 'findings' },
  )

  given(
    "with evaluateWrites 'strict' it is refused",
    async (served) => {
      const { status, body } = await describe(served)
      expect({ status, body }).toMatchObject({
        status: 422,
        body: { errors: [{ loc: ['body', 'rules', 0], type: 'policy_violation' }] },
      })
    },
    { evaluateWrites: 'strict' },
  )
}
