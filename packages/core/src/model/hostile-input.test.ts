import { describe, expect, test } from 'vitest'
import type { PrivacyError } from '../errors.js'
import { parseConnection, parseConnectionPatch } from './connection.js'
import { parseDataset } from './dataset.js'
import { deriveKey, namedKey } from './key.js'
import { parseOrganization } from './organization.js'
import { parsePolicy } from './policy.js'
import { parseSubmission } from './privacy-request.js'
import { parseRegistry } from './registry.js'
import { parseSystem } from './system.js'
import { parseDataCategory } from './taxonomy.js'
import { readYaml } from './yaml-text.js'

const readers = {
  parseConnection,
  parseConnectionPatch,
  parseDataset,
  parseOrganization,
  parsePolicy,
  parseSubmission,
  parseRegistry,
  parseSystem,
  parseDataCategory,
}

function refusalOf(read: () => unknown): PrivacyError<'invalid_input'> {
  try {
    read()
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_input' })
    return error as PrivacyError<'invalid_input'>
  }
  throw new Error('it was taken')
}

/** Far below what it takes where the time grows with the square of the length. */
const soon = 2_000

function takes(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}

describe('input that is made to hurt', () => {
  test.each(Object.entries(readers))('%s refuses what is no object, null as any other', (_, read) => {
    for (const input of [null, undefined, 0, '', 'text', true, [], [null], [{}]]) refusalOf(() => read(input))
  })

  test('null in a list is a bad item', () => {
    const rules = refusalOf(() => parsePolicy({ service_key: 'p', rules: [null] }))
    expect(rules.details.issues[0]).toMatchObject({ loc: ['rules', 0], type: 'invalid_type' })
    const fields = refusalOf(() => parseDataset({ service_key: 'd', collections: [{ name: 'c', fields: [null] }] }))
    expect(fields.details.issues[0]).toMatchObject({ loc: ['collections', 0, 'fields', 0] })
    refusalOf(() => parseSubmission({ policyKey: 'p', identities: [null] }))
  })

  test('not more than 100 bad places are named', () => {
    const many = Array.from({ length: 10_000 }, () => 1)
    const { details, message } = refusalOf(() => parseDataset({ service_key: 'd', collections: many }))
    expect(details.issues).toHaveLength(100)
    expect(message).toMatch(/and 99 more\.$/)
  })

  test('addresses and names of a million characters are read in time', () => {
    const address = 'a'.repeat(1_000_000)
    const dataset = { service_key: 'd', collections: [{ name: 'c', service_meta: { after: [address] } }] }
    expect(takes(() => refusalOf(() => parseDataset(dataset)))).toBeLessThan(soon)
    expect(takes(() => deriveKey('ﷺ'.repeat(1_000_000)))).toBeLessThan(soon)
    expect(deriveKey(`Web shop${' '.repeat(1_000_000)}`)).toBe('web_shop')
    expect(
      parseDataset({ ...dataset, collections: [{ name: 'c', service_meta: { after: ['a:b', 'a.b', 'a::'] } }] })
        .warnings,
    ).toEqual([])
    for (const wrong of ['a', ':a', '.a', 'a:', 'a.', '', ':', 'a:'.slice(0, 1)]) {
      refusalOf(() => parseDataset({ ...dataset, collections: [{ name: 'c', service_meta: { after: [wrong] } }] }))
    }
  })

  test('YAML with text that no storage takes is refused, and one that would take minutes as well', () => {
    for (const text of ['"\\0"', '"\\ud800"', '{"\\x00": 1}', '[a, "b\\udfff"]']) {
      expect(readYaml(text)).toMatchObject({ problem: expect.stringContaining('null character') })
    }
    expect(readYaml('"\\U0001F600 \\u00e4"')).toEqual({ value: '😀 ä' })
  })

  test('what is no key is not repeated', () => {
    expect(namedKey('web_shop')).toBe("the key 'web_shop'")
    for (const text of ['ada@example.com', '..', '', 'a'.repeat(256), 'a b']) expect(namedKey(text)).toBe('this key')
  })
})
