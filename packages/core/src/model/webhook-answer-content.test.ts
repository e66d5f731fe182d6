import { describe, expect, it } from 'vitest'
import { parseResume, parseWebhookAnswer } from './webhook-answer-content.js'

describe('the answer of a two-way webhook', () => {
  it.each<[unknown, object]>([
    [{}, { halt: false }],
    [{ halt: false, derived_identity: null }, { halt: false }],
    [{ halt: null, derived_identity: {} }, { halt: false }],
    [{ derived_identity: { email: null } }, { halt: false }],
    [
      { halt: true, derived_identity: { email: 'a@x', phone_number: null, member: 7 }, more: 1 },
      { halt: true, derivedIdentity: { email: 'a@x', member: 7 } },
    ],
  ])('%j', (body, read) => {
    expect(parseWebhookAnswer(body)).toEqual(read)
  })

  it.each<[unknown, (string | number)[]]>([
    [[], []],
    ['text', []],
    [null, []],
    [{ halt: 'yes' }, ['halt']],
    [{ halt: 1 }, ['halt']],
    [{ derived_identity: 'planted' }, ['derived_identity']],
    [{ derived_identity: ['planted'] }, ['derived_identity']],
    [{ derived_identity: { email: ' ' } }, ['derived_identity', 'email']],
    [{ derived_identity: { email: { $ne: 'planted' } } }, ['derived_identity', 'email']],
    [{ derived_identity: { email: ['planted'] } }, ['derived_identity', 'email']],
  ])('%j is refused, without its values', (body, loc) => {
    let thrown: unknown
    try {
      parseWebhookAnswer(body)
    } catch (error) {
      thrown = error
    }
    expect(thrown).toMatchObject({ code: 'invalid_input', details: { issues: [{ loc }] } })
    expect(JSON.stringify(thrown)).not.toContain('planted')
  })
})

it('a resume may bring an identity, or nothing', () => {
  expect(parseResume({})).toEqual({})
  expect(parseResume({ derivedIdentity: { email: 'a@x' } })).toEqual({ derivedIdentity: { email: 'a@x' } })
  expect(parseResume({ derivedIdentity: null })).toEqual({})
  expect(() => parseResume({ derivedIdentity: 5 })).toThrow(/derivedIdentity/)
})
