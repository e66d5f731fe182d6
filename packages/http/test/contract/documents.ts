import { expect } from 'vitest'
import type { Given } from './given.js'

/** A document of each type of the data model, with one member that only that type has. */
const samples = {
  dataset: { collections: [{ name: 'c', fields: [{ name: 'f', data_categories: ['user.name'] }] }] },
  system: { system_type: 'Service', privacy_declarations: [{ name: 'Sell', data_use: 'improve' }] },
  policy: { rules: [{ service_key: 'r', action_type: 'access', data_categories: { values: ['user'] } }] },
  organization: { controller: { name: 'Ann', email: 'ann@example.com' } },
  registry: {},
  data_category: { parent_key: 'user' },
  data_use: { legal_basis: 'Consent', recipients: ['Ann'] },
  data_subject: { rights: { strategy: 'INCLUDE', values: ['Access'] } },
  data_qualifier: { parent_key: 'aggregated' },
} satisfies Readonly<Record<string, object>>

/** How many there are before anybody adds one. */
const fromTheStart: Readonly<Record<string, number>> = {
  organization: 1,
  policy: 2,
  data_category: 56,
  data_use: 23,
  data_subject: 15,
  data_qualifier: 5,
}

interface Document {
  readonly service_key: string
  readonly name: string
  readonly warnings: readonly { readonly loc: unknown }[]
}

interface Page {
  readonly items: readonly Document[]
  readonly total: number
}

/** What every type of the data model answers alike. */
export function documentCases(given: Given): void {
  for (const [type, members] of Object.entries(samples)) {
    const path = `/api/v1/${type}`
    const sample = { service_key: 'mine', name: 'Mine', description: 'D', ...members }

    given(`${type}: POST creates with 201, once`, async ({ call, runtime }) => {
      const now = runtime.now().toISOString()
      const { status, body } = await call<Document>('POST', path, { body: sample })
      expect({ status, body }).toMatchObject({
        status: 201,
        body: { service_key: 'mine', name: 'Mine', description: 'D', created_at: now, updated_at: now, warnings: [] },
      })
      const again = await call('POST', path, { body: sample })
      expect(again).toMatchObject({
        status: 409,
        body: { code: 'conflict', detail: expect.stringContaining("'mine'") },
      })
    })

    given(`${type}: GET gives what was stored, which can be changed and sent back`, async ({ call, runtime }) => {
      const { body: created } = await call<Record<string, unknown>>('POST', path, { body: sample })
      const { findings: _, warnings: __, open: ___, ...kept } = created
      const { body: read } = await call<object>('GET', `${path}/mine`)
      expect(read).toStrictEqual(kept)
      runtime.advance(1_000)
      const { status, body } = await call<Document>('PUT', `${path}/mine`, { body: { ...read, description: 'E' } })
      expect(status).toBe(200)
      const changed = { ...kept, description: 'E', updated_at: '2025-01-01T00:00:01.000Z' }
      expect(body).toMatchObject({ ...changed, warnings: [] })
      expect((await call('GET', `${path}/mine`)).body).toStrictEqual(changed)
    })

    given(`${type}: PUT replaces the whole, and only what is there`, async ({ call }) => {
      await call('POST', path, { body: sample })
      const { description: _, ...rest } = sample
      const { status, body } = await call('PUT', `${path}/mine`, { body: { ...rest, service_key: undefined } })
      expect(status).toBe(200)
      expect(body).not.toHaveProperty('description')
      expect((await call('PUT', `${path}/none`, { body: { ...sample, service_key: 'none' } })).status).toBe(404)
      const other = await call('PUT', `${path}/mine`, { body: { ...sample, service_key: 'other' } })
      expect(other).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'service_key'] }] } })
    })

    given(`${type}: PATCH creates, then changes only what it names`, async ({ call }) => {
      const created = await call('PATCH', path, { body: sample })
      expect(created).toMatchObject({ status: 200, body: { service_key: 'mine', description: 'D' } })
      const changed = await call('PATCH', path, { body: { service_key: 'mine', name: 'Other' } })
      expect(changed).toMatchObject({ status: 200, body: { ...members, name: 'Other', description: 'D' } })
      const cleared = await call('PATCH', path, { body: { service_key: 'mine', description: null } })
      expect(cleared.status).toBe(200)
      expect(cleared.body).not.toHaveProperty('description')
    })

    given(`${type}: DELETE ends it`, async ({ call }) => {
      await call('POST', path, { body: sample })
      expect(await call('DELETE', `${path}/mine`)).toMatchObject({ status: 204, body: undefined })
      const asked = [await call('GET', `${path}/mine`), await call('DELETE', `${path}/mine`)]
      expect(asked.map(({ status }) => status)).toEqual([404, 404])
    })

    given(`${type}: lists are paged, searched and sorted by key`, async ({ call }) => {
      const before = fromTheStart[type] ?? 0
      for (const [key, name] of [
        ['zz_c', 'Cecil'],
        ['zz_a', 'Ann'],
        ['zz_b', 'Annabel'],
      ] as const) {
        await call('POST', path, { body: { ...sample, service_key: key, name } })
      }
      const list = async (search: string) => (await call<Page>('GET', `${path}${search}`)).body
      expect(await list('')).toMatchObject({ total: before + 3, page: 1, size: 50 })
      const keys = ({ items }: Page) => items.map((item) => item.service_key)
      expect(keys(await list('?search=zz_'))).toEqual(['zz_a', 'zz_b', 'zz_c'])
      expect(keys(await list('?search=ANN'))).toEqual(expect.arrayContaining(['zz_a', 'zz_b']))
      expect(await list('?search=zz_&size=2&page=2')).toMatchObject({
        total: 3,
        pages: 2,
        items: [{ service_key: 'zz_c' }],
      })
      expect(await list('?page=99')).toMatchObject({ items: [], page: 99, total: before + 3 })
      expect((await call('GET', `${path}?size=1000`)).status).toBe(422)
    })

    given(`${type}: a key is derived from the name, and the name from the key`, async ({ call }) => {
      const { service_key: _, ...named } = { ...sample, name: 'Änna  Bell-Book!' }
      expect((await call('POST', path, { body: named })).body).toMatchObject({ service_key: 'anna_bell_book' })
      const { name: __, ...keyed } = { ...sample, service_key: 'keyed' }
      expect((await call('POST', path, { body: keyed })).body).toMatchObject({ name: 'keyed' })
    })

    given(`${type}: every bad place is named`, async ({ call }) => {
      const bad = { ...sample, service_key: 'a b', description: 7 }
      for (const [method, at] of [
        ['POST', path],
        ['PATCH', path],
      ] as const) {
        const errors = [{ loc: ['body', 'service_key'] }, { loc: ['body', 'description'] }]
        expect(await call(method, at, { body: bad })).toMatchObject({ status: 422, body: { errors } })
      }
      const none = await call('POST', path, { body: { ...members } })
      expect(none).toMatchObject({ status: 422, body: { errors: [{ loc: ['body', 'service_key'], type: 'missing' }] } })
      expect((await call('GET', `${path}?search=mine`)).body).toMatchObject({ total: 0 })
    })

    given(`${type}: unknown members are ${type === 'policy' ? 'refused' : 'ignored'}, named`, async ({ call }) => {
      const { status, body } = await call<Document & { errors: unknown }>('POST', path, {
        body: { ...sample, typo: 1 },
      })
      if (type === 'policy') {
        expect({ status, errors: body.errors }).toMatchObject({
          status: 422,
          errors: [{ loc: ['body', 'typo'], type: 'unknown_member' }],
        })
      } else expect({ status, loc: body.warnings.map(({ loc }) => loc) }).toEqual({ status: 201, loc: [['typo']] })
    })
  }
}
