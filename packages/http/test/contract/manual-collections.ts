import { expect } from 'vitest'
import type { Given } from './given.js'
import { type PrivacyRequest, submitted } from './privacy-requests.js'
import type { Served } from './served.js'

const dataset = {
  service_key: 'cabinet',
  collections: [
    {
      name: 'letters',
      fields: [
        { name: 'email', data_categories: ['user'], service_meta: { identity: 'email' } },
        { name: 'subject', data_categories: ['user'] },
      ],
    },
  ],
}
const rows = [{ email: 'ann@example.com', subject: 'a letter' }]

/** A request that waits for the rows of a collection that a person keeps. */
async function paused(served: Served): Promise<string> {
  const { call } = served
  await call('POST', '/api/v1/connection', { body: { key: 'archive', connection_type: 'manual' } })
  await call('PATCH', '/api/v1/connection/archive/dataset', { body: dataset })
  const id = await submitted(served)
  const { body } = await call<PrivacyRequest>('POST', `/api/v1/privacy-request/${id}/run`)
  expect(body.status).toBe('paused')
  return `/api/v1/privacy-request/${id}`
}

/** Collections whose rows people bring. */
export function manualCollectionCases(given: Given): void {
  given('a request says which rows it waits for, and goes on with them', async (served) => {
    const { call, tokenWith } = served
    const request = await paused(served)
    const needed = { step: 'access', collection: 'cabinet:letters' }
    const shown = await call('GET', request)
    expect(shown.body).toMatchObject({
      resume_endpoint: `${request.replace('/api/v1', '')}/manual_input`,
      action_required_details: { ...needed, action_needed: [{ get: ['email', 'subject'], locators: null }] },
    })
    expect(JSON.stringify(shown.body)).not.toContain('ann@')
    const whole = await call('GET', `${request}?include_identities=true`)
    const locators = { email: ['ann@example.com'] }
    expect(whole.body).toMatchObject({ action_required_details: { ...needed, action_needed: [{ locators }] } })
    // It waits for rows, and no decision stands for them.
    const accept = { body: { accept_undecided: true, accept_unsearched: true } }
    expect((await call('POST', `${request}/resume`, accept)).status).toBe(409)
    const token = await tokenWith('privacy-request:resume')
    const given = await call('POST', `${request}/manual_input`, { token, body: rows })
    expect(given).toMatchObject({ status: 200, body: { status: 'in_processing', action_required_details: null } })
    expect((await call('POST', `${request}/manual_input`, { body: rows })).status).toBe(409)
    expect((await call('POST', `${request}/run`)).body).toMatchObject({ status: 'complete' })
    expect((await call('GET', `${request}/download`)).body).toEqual({ 'cabinet:letters': rows })
  })

  given('an empty list says that there are no rows', async (served) => {
    const { call } = served
    const request = await paused(served)
    expect((await call('POST', `${request}/manual_input`, { body: [] })).status).toBe(200)
    expect((await call('POST', `${request}/run`)).body).toMatchObject({ status: 'complete' })
    expect((await call('GET', `${request}/download`)).body).toEqual({
      nothing_found: 'No data about you was found.',
      searched: ['cabinet:letters'],
    })
  })

  given('422 names every row that does not fit, and repeats nothing of it', async (served) => {
    const { call } = served
    const request = await paused(served)
    const bad: readonly (readonly [body: unknown, loc: unknown])[] = [
      [[{ email: 'ann@example.com', subjct: 'planted-marker' }], ['body', 0, 'subjct']],
      [
        [...rows, { email: 'planted-marker' }],
        ['body', 1],
      ],
      [{}, ['body']],
      [[7], ['body', 0]],
    ]
    for (const [body, loc] of bad) {
      const refused = await call('POST', `${request}/manual_input`, { body })
      expect(refused).toMatchObject({ status: 422, body: { errors: [{ loc }] } })
      expect(JSON.stringify(refused.body)).not.toContain('planted-marker')
    }
    expect((await call('GET', request)).body).toMatchObject({ status: 'paused' })
    expect((await call('POST', '/api/v1/privacy-request/pri_none/manual_input', { body: [] })).status).toBe(404)
  })

  given('erasure_confirm requires a count, and no request waits for one', async (served) => {
    const { call } = served
    const confirm = `${await paused(served)}/erasure_confirm`
    const refused = await call('POST', confirm, { body: { row_count: 1 } })
    expect(refused).toMatchObject({ status: 409, body: { code: 'invalid_state' } })
    for (const body of [{}, { row_count: -1 }, { row_count: 1.5 }, { row_count: '1' }]) {
      const wrong = await call('POST', confirm, { body })
      expect(wrong).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'row_count'] }] } })
    }
  })
}
