import { describe, expect, test } from 'vitest'
import type { PrivacyError } from '../errors.js'
import { parseConnection, parseConnectionPatch } from './connection.js'
import { parseDataset } from './dataset.js'
import { deriveKey, namedKey } from './key.js'
import { parseOrganization } from './organization.js'
import { parsePolicy } from './policy.js'
import { parseSubmission } from './privacy-request.js'
import { readYaml } from './read-yaml.js'
import { parseRegistry } from './registry.js'
import { parseSystem } from './system.js'
import { parseDataCategory, parseDataUse } from './taxonomy.js'

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
  throw new Error('it was accepted')
}

/** Milliseconds of the processor; far below what it takes where the time grows with the square of the length. */
const soon = 10_000

function takes(work: () => unknown): number {
  const start = process.cpuUsage()
  work()
  return process.cpuUsage(start).user / 1_000
}

describe('hostile input', () => {
  test.each(Object.entries(readers))('%s refuses anything but an object, including null', (_, read) => {
    for (const input of [null, undefined, 0, '', 'text', true, [], [null], [{}]]) refusalOf(() => read(input))
  })

  test('null in a list is a bad item', () => {
    const rules = refusalOf(() => parsePolicy({ service_key: 'p', rules: [null] }))
    expect(rules.details.issues[0]).toMatchObject({ loc: ['rules', 0], type: 'invalid_type' })
    const fields = refusalOf(() => parseDataset({ service_key: 'd', collections: [{ name: 'c', fields: [null] }] }))
    expect(fields.details.issues[0]).toMatchObject({ loc: ['collections', 0, 'fields', 0] })
    refusalOf(() => parseSubmission({ policyKey: 'p', identities: [null] }))
  })

  test('at most 100 bad places are named', () => {
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

  test('YAML is refused with text that no storage takes, and where reading would take minutes', () => {
    for (const text of ['"\\0"', '"\\ud800"', '{"\\x00": 1}', '[a, "b\\udfff"]']) {
      expect(readYaml(text)).toMatchObject({ problem: expect.stringContaining('null character') })
    }
    expect(readYaml('"\\U0001F600 \\u00e4"')).toMatchObject({ value: '😀 ä' })
  })

  test('times whose offset leaves the calendar are refused, since they would not sort', () => {
    const at = (requestedAt: string) => parseSubmission({ policyKey: 'p', identity: { email: 'a' }, requestedAt })
    for (const text of ['0000-01-01T00:00:00+23:59', '9999-12-31T23:59:59-23:59']) {
      expect(refusalOf(() => at(text)).details.issues).toMatchObject([{ loc: ['requestedAt'] }])
    }
    expect(at('9999-12-31').value.requestedAt).toBe('9999-12-31T00:00:00.000Z')
    expect(at('0000-01-01T00:00:00Z').value.requestedAt).toBe('0000-01-01T00:00:00.000Z')
  })

  test('links that people will follow lead to the web', () => {
    for (const link of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'vbscript:x',
      ' javascript:alert(1)',
    ]) {
      const use = { service_key: 'u', legitimate_interest_impact_assessment: link }
      expect(refusalOf(() => parseDataUse(use)).message).not.toContain(link)
      const system = { service_key: 's', system_type: 'a', data_protection_impact_assessment: { link } }
      expect(refusalOf(() => parseSystem(system)).message).not.toContain(link)
    }
  })

  test('an invalid key is not repeated', () => {
    expect(namedKey('web_shop')).toBe("the key 'web_shop'")
    for (const text of ['ada@example.com', '..', '', 'a'.repeat(256), 'a b']) expect(namedKey(text)).toBe('this key')
  })
})
