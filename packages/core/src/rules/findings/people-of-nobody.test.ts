import { describe, expect, test } from 'vitest'
import { customer, type Fields, findings, shop } from '../../../test/fixtures/dataset-findings.js'

const meta = { owner: [] }
const found = (name: string, fields: Fields, of: object = meta) =>
  findings([shop({ customer, [name]: { fields, meta: of } })]).filter(({ type }) => type === 'people_of_nobody')

describe('people_of_nobody', () => {
  test('names the columns that look like people, and both ways out', () => {
    const [finding, ...more] = found('employee', { id: {}, name: {}, email: {}, level: {} })
    expect(finding).toMatchObject({ severity: 'warning', loc: ['shop', 'employee'] })
    expect(finding?.message).toContain("yet 'name', 'email' look like data of people")
    expect(finding?.message).toMatch(/remove 'owner' and declare 'identity'.*'reviewed: true'/)
    expect(more).toEqual([])
  })

  test('counts a category that is declared', () => {
    expect(found('row', { c1: { categories: ['user.contact.email'] } })).toHaveLength(1)
  })

  test('counts what an organization has of a person', () => {
    expect(found('organizations', { phone: {}, manager_phone: {}, owner_email: {}, dob: {} })[0]?.message).toContain(
      "yet 'manager_phone', 'owner_email', 'dob' look like data of people",
    )
  })

  test('counts the number of a person among organizations, and no number for taxes', () => {
    expect(found('vendors', { ssn: {}, cpf: {}, tax_id: {}, TaxNumber: {} })[0]?.message).toContain(
      "yet 'ssn', 'cpf' look",
    )
  })

  test.each<[string, string, Fields, object]>([
    ['things have names', 'product', { name: {}, price: {} }, meta],
    ['an organization has an address of its own', 'organizations', { name: {}, phone: {}, contact_email: {} }, meta],
    ['a supplier has a telephone', 'suppliers', { phone: {}, tax_id: {} }, meta],
    ['settings name the address of a desk', 'site_settings', { support_email: {} }, meta],
    ['somebody has looked', 'store', { email: { meta: { reviewed: true } } }, meta],
    ['rows have owners', 'trainer', { id: {}, email: { meta: { identity: 'email' } } }, {}],
    ['nothing is searched on purpose', 'trainer', { email: {} }, { ...meta, skip_processing: true }],
  ])('is not reported where %s', (_, name, fields, of) => {
    expect(found(name, fields, of)).toEqual([])
  })
})
