import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { parseSubmission } from './privacy-request.js'

function refusal(input: unknown) {
  try {
    parseSubmission(input)
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error
    throw error
  }
  throw new Error('was read')
}

const identity = { email: 'jane@example.com' }
const least = { policyKey: 'p', identities: [identity] }
const key256 = Buffer.alloc(32, 7).toString('base64')

describe('parseSubmission', () => {
  it('needs a policy and an identity, one or a list', () => {
    const value = { policyKey: 'p', residualSearch: false, identities: [identity] }
    expect(parseSubmission(least).value).toStrictEqual(value)
    expect(parseSubmission({ policyKey: 'p', identity }).value).toStrictEqual(value)
    expect(refusal({}).details.issues.map(({ loc }) => loc.join('/'))).toEqual(['policyKey', 'identities'])
  })

  it.each([
    ['2024-05-01', '2024-05-01T00:00:00.000Z'],
    ['2024-05-01T10:00:00', '2024-05-01T10:00:00.000Z'],
    ['2024-05-01T10:00', '2024-05-01T10:00:00.000Z'],
    ['2024-05-01T10:00:00.1234567Z', '2024-05-01T10:00:00.123Z'],
    ['2024-05-01T10:00:00-05:30', '2024-05-01T15:30:00.000Z'],
  ])('requestedAt %s is %s', (requestedAt, instant) => {
    expect(parseSubmission({ ...least, requestedAt }).value.requestedAt).toBe(instant)
  })

  it.each([
    [{ encryptionKey: '0123456789abcdef' }],
    [{ encryptionKey: 'äöüäöüäö' }],
    [{ encryptionKey256: key256 }],
    [{ externalId: 'ticket-1', acceptUnsearched: true }],
    [{ acceptUnsearched: false, acceptUndecided: ['shop:orders.owner_id'], acceptUnconfirmed: ['phone'] }],
  ])('takes %j', (members) => {
    expect(parseSubmission({ ...least, ...members }).value).toMatchObject(members)
  })

  it.each<[object, string]>([
    [{ encryptionKey: 'hunter2' }, 'encryptionKey'],
    [{ encryptionKey: 'äöüäöüäöüäöüäöüä' }, 'encryptionKey'],
    [{ encryptionKey256: '0123456789abcdef0123456789abcdef' }, 'encryptionKey256'],
    [{ encryptionKey256: `${key256.slice(0, 42)}B=` }, 'encryptionKey256'],
    [{ encryptionKey: '0123456789abcdef', encryptionKey256: key256 }, 'encryptionKey256'],
    [{ identity }, 'identity'],
    [{ identities: [] }, 'identities'],
    [{ identities: [{ email: { $ne: 'jane' } }] }, 'identities/0/email'],
    [{ identities: { email: 'jane' } }, 'identities'],
    [{ requestedAt: 'yesterday' }, 'requestedAt'],
    [{ requestedAt: '2024-02-30' }, 'requestedAt'],
    [{ policyKey: 'a b' }, 'policyKey'],
    [{ externalId: '' }, 'externalId'],
    [{ externalId: 'jane\0' }, 'externalId'],
    [{ acceptUnsearched: 'yes' }, 'acceptUnsearched'],
    [{ acceptUndecided: [''] }, 'acceptUndecided/0'],
    [{ externalId: 'jane \ud800' }, 'externalId'],
  ])('refuses %j without repeating it', (members, loc) => {
    const error = refusal({ ...least, ...members })
    expect(error.details.issues.map((issue) => issue.loc.join('/'))).toEqual([loc])
    expect(JSON.stringify(error)).not.toMatch(/jane|hunter2|0123456789|yesterday/)
  })

  it('names and ignores unknown members where that is asked for', () => {
    const ignoreUnknown = true
    expect(parseSubmission({ ...least, source: 'web' }, { ignoreUnknown }).warnings).toEqual([
      { loc: ['source'], msg: 'is not known here and was ignored' },
    ])
    for (const name of ['encryptionkey', 'encryptionKey265', 'residualSerach'])
      expect(() => parseSubmission({ ...least, [name]: true }, { ignoreUnknown })).toThrow('nearest known name')
  })

  it.each([
    ['source', 'source is not known here.'],
    ['encryptionkey', "the nearest known name is 'encryptionKey'"],
    ['residualSerach', "the nearest known name is 'residualSearch'"],
  ])('refuses the unknown member %s', (name, says) => {
    expect(refusal({ ...least, [name]: true }).message).toContain(says)
  })
})
