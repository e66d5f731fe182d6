import { expect } from 'vitest'
import type { Given } from './given.js'
import { type PrivacyRequest, submitted } from './privacy-requests.js'
import type { Served } from './served.js'

const connection = '/api/v1/connection'
const webhook = `${connection}/paper_files/access_manual_webhook`
const definition = { fields: [{ pii_field: 'Full name', dsr_package_label: 'name' }, { pii_field: 'Phone Number' }] }
const fields = [
  { pii_field: 'Full name', dsr_package_label: 'name' },
  { pii_field: 'Phone Number', dsr_package_label: 'phone_number' },
]

async function connected({ call }: Pick<Served, 'call'>): Promise<void> {
  const body = { name: 'Paper files', connection_type: 'manual_webhook', access: 'read' }
  expect((await call('POST', connection, { body })).status).toBe(201)
}

/** A request that waits for what people look up. */
async function waiting(served: Served): Promise<string> {
  await connected(served)
  expect((await served.call('PATCH', webhook, { body: definition })).status).toBe(200)
  const id = await submitted(served)
  const { body } = await served.call<PrivacyRequest>('GET', `/api/v1/privacy-request/${id}`)
  expect(body.status).toBe('requires_input')
  return id
}

/** What people look up where no connector can. */
export function manualWebhookCases(given: Given): void {
  given('POST defines once, PATCH as often as one likes, and what GET gave can be sent back', async (served) => {
    const { call, runtime } = served
    await connected(served)
    expect((await call('GET', webhook)).status).toBe(404)
    const created = await call<object>('POST', webhook, { body: definition })
    const at = runtime.now().toISOString()
    const record = { id: 'paper_files', fields, created_at: at, updated_at: at }
    expect(created).toMatchObject({ status: 201, body: { ...record, warnings: [] } })
    expect(created.body).toMatchObject({ connection_config: { key: 'paper_files', connection_type: 'manual_webhook' } })
    expect((await call('POST', webhook, { body: definition })).status).toBe(409)
    const shown = await call<object>('GET', webhook)
    expect(shown).toMatchObject({ status: 200, body: record })
    expect(await call('PATCH', webhook, { body: shown.body })).toMatchObject({
      status: 200,
      body: { fields, warnings: [] },
    })
    const renamed = { fields: [{ pii_field: 'Name', hint: 'of the person' }] }
    const changed = await call('PATCH', webhook, { body: renamed })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        fields: [{ pii_field: 'Name', dsr_package_label: 'name' }],
        warnings: [{ loc: ['fields', 0, 'hint'] }],
      },
    })
    expect((await call('DELETE', webhook)).status).toBe(204)
    expect((await call('DELETE', webhook)).status).toBe(404)
  })

  given('the list has only the webhooks of enabled connections', async (served) => {
    const { call } = served
    await connected(served)
    const list = '/api/v1/access_manual_webhook'
    expect(await call('GET', list)).toMatchObject({ status: 200, body: [] })
    await call('POST', webhook, { body: definition })
    expect(await call('GET', list)).toMatchObject({ status: 200, body: [{ id: 'paper_files', fields }] })
    await call('PATCH', connection, { body: { key: 'paper_files', disabled: true } })
    expect((await call('GET', list)).body).toEqual([])
  })

  const faults: Readonly<Record<string, { readonly body: unknown; readonly loc: unknown }>> = {
    'no fields': { body: {}, loc: ['body', 'fields'] },
    'an empty list of fields': { body: { fields: [] }, loc: ['body', 'fields'] },
    'a field without a name': {
      body: { fields: [{ dsr_package_label: 'a' }] },
      loc: ['body', 'fields', 0, 'pii_field'],
    },
    'two equal labels': {
      body: { fields: [{ pii_field: 'Name' }, { pii_field: 'b', dsr_package_label: 'name' }] },
      loc: ['body', 'fields', 1, 'dsr_package_label'],
    },
  }
  for (const [what, { body, loc }] of Object.entries(faults)) {
    given(`422 for a definition with ${what}, naming the place`, async (served) => {
      await connected(served)
      for (const verb of ['POST', 'PATCH'])
        expect(await served.call(verb, webhook, { body })).toMatchObject({ status: 422, body: { errors: [{ loc }] } })
    })
  }

  given('a connection of another kind has no manual webhook', async ({ call }) => {
    await call('POST', connection, { body: { key: 'shop', connection_type: 'postgres' } })
    const refused = await call('POST', `${connection}/shop/access_manual_webhook`, { body: definition })
    expect(refused).toMatchObject({ status: 400, body: { code: 'unsupported' } })
    expect((await call('GET', `${connection}/none/access_manual_webhook`)).status).toBe(404)
  })

  for (const prefix of ['/api/v1', '']) {
    const request = (id: string) => `${prefix}/privacy-request/${id}`
    const data = (id: string) => `${request(id)}/access_manual_webhook/paper_files`
    const resume = (id: string) => `${request(id)}/resume_from_requires_input`

    given(`an upload below '${prefix}/' is shown and in the package`, async (served) => {
      const { call } = served
      const id = await waiting(served)
      const resume_endpoint = `/privacy-request/${id}/resume_from_requires_input`
      expect((await call('GET', `/api/v1/privacy-request/${id}`)).body).toMatchObject({ resume_endpoint })
      const early = await call('POST', resume(id))
      expect(early).toMatchObject({ status: 409, body: { detail: expect.stringContaining("'paper_files'") } })
      const none = { checked: false, fields: { name: null, phone_number: null } }
      expect(await call('GET', data(id))).toMatchObject({ status: 200, body: none })
      const body = { name: 'Ann Archer', 'Phone Number': ['1', '2'] }
      expect(await call('PATCH', data(id), { body })).toMatchObject({ status: 200, body: null })
      const fields = { name: 'Ann Archer', phone_number: ['1', '2'] }
      expect((await call('GET', data(id))).body).toEqual({ checked: true, fields })
      expect(await call('POST', resume(id))).toMatchObject({ status: 200, body: { id, status: 'in_processing' } })
      expect((await call('POST', resume(id))).status).toBe(409)
      const run = await call('POST', `/api/v1/privacy-request/${id}/run`)
      expect(run).toMatchObject({ status: 200, body: { status: 'complete' } })
      const { body: delivered } = await call('GET', `/api/v1/privacy-request/${id}/download`)
      expect(delivered).toMatchObject({ paper_files: [fields] })
      expect((await call('PATCH', data(id), { body })).status).toBe(409)
    })

    given(`below '${prefix}/' an empty upload says that nothing was found`, async (served) => {
      const { call } = served
      const id = await waiting(served)
      expect((await call('PATCH', data(id))).status).toBe(422)
      expect((await call('PATCH', data(id), { body: {} })).status).toBe(200)
      expect((await call('GET', data(id))).body).toMatchObject({ checked: true })
      expect(await call('POST', resume(id), { body: {} })).toMatchObject({ status: 200 })
      expect((await call('POST', `/api/v1/privacy-request/${id}/run`)).body).toMatchObject({ status: 'complete' })
    })

    given(`below '${prefix}/' a wrong label is named, and no value repeated`, async (served) => {
      const { call } = served
      const id = await waiting(served)
      const bad = await call('PATCH', data(id), { body: { nam: 'planted-marker', name: { of: 'planted-marker' } } })
      expect(bad).toMatchObject({ status: 422 })
      const { errors } = bad.body as { errors: { loc: unknown }[] }
      expect(errors.map(({ loc }) => loc)).toEqual(
        expect.arrayContaining([
          ['body', 'nam'],
          ['body', 'name'],
        ]),
      )
      expect(JSON.stringify(bad.body)).not.toContain('planted-marker')
      for (const at of [data('pri_none'), `${request(id)}/access_manual_webhook/none`]) {
        expect((await call('PATCH', at, { body: {} })).status).toBe(404)
        expect((await call('GET', at)).status).toBe(404)
      }
      expect((await call('POST', resume('pri_none'))).status).toBe(404)
    })
  }
}
