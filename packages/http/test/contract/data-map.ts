import { expect } from 'vitest'
import type { Given } from './given.js'

const path = '/api/v1/datamap'
const system = {
  service_key: 'web',
  name: 'Web shop',
  system_type: 'Service',
  privacy_declarations: [{ name: 'Orders', data_use: 'provide.service', data_categories: ['user.name'] }],
}

/** Tables of what is declared. */
export function dataMapCases(given: Given): void {
  given('the data map is JSON, and a file where that is asked for', async ({ call }) => {
    await call('POST', '/api/v1/system', { body: system })
    const rows = [{ system: 'Web shop', declaration: 'Orders', data_categories: ['user.name'], dataset: null }]
    expect(await call('GET', path)).toMatchObject({ status: 200, body: { view: 'map', rows, blanks: [] } })
    const { headers, body } = await call<string>('GET', `${path}?format=csv`)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename=data-map.csv')
    expect(body).toContain('Web shop')
    const workbook = await call('GET', `${path}?format=xlsx&view=processor`)
    expect(workbook.headers.get('content-type')).toContain('spreadsheetml')
    expect(workbook.headers.get('content-disposition')).toContain('record-of-processing-processor.xlsx')
  })

  given('a record names what nobody has declared', async ({ call }) => {
    await call('POST', '/api/v1/system', { body: system })
    const { body } = await call<{ blanks: { column: string }[] }>('GET', `${path}?view=controller`)
    expect(body.blanks.map(({ column }) => column)).toContain('recipients')
  })

  given('a data map is for those who may read it, and of what exists', async ({ call, tokenWith }) => {
    expect((await call('GET', path, { token: await tokenWith('system:read') })).status).toBe(403)
    const token = await tokenWith('datamap:read')
    expect((await call('GET', path, { token })).status).toBe(200)
    expect((await call('GET', `${path}/default_organization`, { token })).status).toBe(200)
    expect((await call('GET', `${path}/nobody`, { token })).status).toBe(404)
    expect((await call('GET', `${path}/nobody?format=csv`, { token })).status).toBe(404)
    expect((await call('GET', `${path}?view=all`, { token })).status).toBe(422)
  })
}
