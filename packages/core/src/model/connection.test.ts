import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { parseConnection, parseConnectionPatch } from './connection.js'

function locsOf(read: () => unknown) {
  try {
    read()
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error.details.issues.map(({ loc }) => loc.join('/'))
    throw error
  }
  throw new Error('was read')
}

describe('parseConnection', () => {
  it('fills in what is left out', () => {
    expect(parseConnection({ name: 'Application PostgreSQL DB', connectionType: 'postgres' }).value).toStrictEqual({
      key: 'application_postgresql_db',
      name: 'Application PostgreSQL DB',
      connectionType: 'postgres',
      access: 'read',
      disabled: false,
    })
  })

  it('takes its own answer, and names unknown members without repeating them', () => {
    const answer = { key: 'k', connectionType: 'manual', createdAt: 'x', lastTestSucceeded: true, secrets: 'hunter2' }
    const { value, warnings } = parseConnection(answer)
    expect(value).toMatchObject({ key: 'k', name: 'k' })
    expect(warnings).toEqual([{ loc: ['secrets'], msg: 'is not known here and was ignored' }])
  })

  it('takes a kind that the host adds', () => {
    expect(locsOf(() => parseConnection({ key: 'k', connectionType: 'oracle' }))).toEqual(['connectionType'])
    expect(parseConnection({ key: 'k', connectionType: 'oracle' }, ['oracle']).value.connectionType).toBe('oracle')
  })

  it.each([
    [{}, ['connectionType', 'key']],
    [{ key: 'k', connectionType: 'postgres', access: 'all', disabled: 'no' }, ['access', 'disabled']],
    [{ key: 'a b', connectionType: 'postgres' }, ['key']],
    [{ key: 'a-b', connectionType: 'manual_webhook' }, ['key']],
    [{ name: '!', connectionType: 'postgres' }, ['key']],
  ])('refuses %j', (input, locs) => {
    expect(locsOf(() => parseConnection(input)).sort()).toEqual(locs)
  })

  it('lets a webhook key hold what the specification allows', () => {
    const named = { name: 'Front-Desk Files', connectionType: 'manual_webhook' }
    expect(parseConnection(named).value.key).toBe('front_desk_files')
    expect(parseConnection({ ...named, key: 'a.b_C9' }).value.key).toBe('a.b_C9')
  })
})

describe('parseConnectionPatch', () => {
  it.each([
    [{ key: 'k' }, { key: 'k' }],
    [
      { name: 'My DB', disabled: true },
      { key: 'my_db', name: 'My DB', disabled: true },
    ],
    [
      { key: 'k', name: null, description: null, access: null, disabled: null },
      { key: 'k', name: 'k', description: null, access: 'read', disabled: false },
    ],
    [
      { key: 'k', connectionType: 'mysql', description: 'd' },
      { key: 'k', connectionType: 'mysql', description: 'd' },
    ],
  ])('%j says %j', (input, patch) => {
    expect(parseConnectionPatch(input).value).toStrictEqual(patch)
  })

  it('needs a key or a name', () => {
    expect(locsOf(() => parseConnectionPatch({ disabled: true }))).toEqual(['key'])
  })
})
