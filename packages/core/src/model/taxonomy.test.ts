import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { defaultTaxonomy } from './default-taxonomy.js'
import { parseDataCategory, parseDataQualifier, parseDataSubject, parseDataUse } from './taxonomy.js'

describe('the default taxonomy', () => {
  const { dataCategories, dataUses, dataSubjects, dataQualifiers } = defaultTaxonomy

  it('is complete', () => {
    expect([dataCategories, dataUses, dataSubjects, dataQualifiers].map((items) => items.length)).toEqual([
      56, 23, 15, 5,
    ])
  })

  it.each(Object.entries(defaultTaxonomy))(
    '%s have each key once, with its parent, a name and a sentence',
    (_, items) => {
      const keys = new Set(items.map(({ service_key }) => service_key))
      expect(keys.size).toBe(items.length)
      for (const item of items) {
        expect(item).toMatchObject({ is_default: true, organization_service_key: 'default_organization' })
        const prefix = item.service_key.split('.').slice(0, -1).join('.')
        expect(item.parent_key ?? '').toBe(prefix)
        if (prefix) expect(keys).toContain(prefix)
        expect(item.name).toMatch(/^[A-Z]/)
        expect(item.description).toMatch(/^[A-Z].{10,}\.$/)
      }
    },
  )

  it('gives no name and no sentence twice within a kind', () => {
    for (const items of Object.values(defaultTaxonomy)) {
      expect(new Set(items.map(({ name }) => name)).size).toBe(items.length)
      expect(new Set(items.map(({ description }) => description)).size).toBe(items.length)
    }
  })

  it('is valid input, but never a default item', () => {
    const own = (items: readonly object[]) => items.map((item) => ({ ...item, is_default: false }))
    expect(dataCategories.map((item) => parseDataCategory(item).value)).toStrictEqual(own(dataCategories))
    expect(dataUses.map((item) => parseDataUse(item).value)).toStrictEqual(own(dataUses))
    expect(dataSubjects.map((item) => parseDataSubject(item).value)).toStrictEqual(own(dataSubjects))
    expect(dataQualifiers.map((item) => parseDataQualifier(item).value)).toStrictEqual(own(dataQualifiers))
  })
})

describe('an item of the host', () => {
  it.each([
    [{ service_key: 'user.shoe.size' }, 'user.shoe'],
    [{ service_key: 'shoe_size', parent_key: 'user' }, 'user'],
    [{ service_key: 'shoe_size' }, undefined],
    [{ name: 'Shoe size', parent_key: null }, undefined],
    [{ service_key: '.a' }, undefined],
  ])('%j lies below %s', (input, parent) => {
    expect(parseDataCategory(input).value.parent_key).toBe(parent)
  })

  it('has the members of its kind', () => {
    const use = { service_key: 'u', legal_basis: 'Consent', special_category: 'Medical', recipients: ['x'] }
    expect(parseDataUse(use).value).toMatchObject(use)
    const subject = { service_key: 's', rights: { strategy: 'INCLUDE', values: ['Access', 'Erasure'] } }
    expect(parseDataSubject(subject).value).toMatchObject(subject)
  })

  it.each([
    [() => parseDataCategory({ service_key: 'a', parent_key: 'a' }), 'parent_key'],
    [() => parseDataUse({ service_key: 'u', legal_basis: 'Because' }), 'legal_basis'],
    [() => parseDataSubject({ service_key: 's', rights: { strategy: 'SOME' } }), 'rights/strategy'],
    [() => parseDataQualifier({ service_key: 'a b' }), 'service_key'],
  ])('is refused: %s', (read, loc) => {
    try {
      read()
      expect.unreachable()
    } catch (error) {
      if (!isPrivacyError(error, 'invalid_input')) throw error
      expect(error.details.issues.map((issue) => issue.loc.join('/'))).toEqual([loc])
    }
  })
})
