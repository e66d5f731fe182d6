import { describe, expect, test } from 'vitest'
import { PrivacyError } from '../../errors.js'
import { refusalWithoutSecrets, shownReason, withoutSecrets } from './without-secrets.js'

describe('a text without secrets', () => {
  test.each([
    ['wrong password "hunter2"', { password: 'hunter2' }, 'wrong password "***"'],
    ['hunter22 and hunter2', { a: 'hunter2', b: 'hunter22' }, '*** and ***'],
    [
      'cannot open postgres://joe:s%40cret@host-one/db',
      { url: 'postgres://joe:s%40cret@host-one/db' },
      'cannot open ***',
    ],
    [
      'user joe, password s@cret at host-one',
      { url: 'postgres://joe:s%40cret@host-one/db' },
      'user ***, password *** at ***',
    ],
    ['the database ab is not about it', { password: 'ab' }, 'the database *** is not about it'],
    ['a $1 b', { password: '$1' }, 'a *** b'],
    ['key -----BEGIN-----', { keyfile_creds: { deep: ['-----BEGIN-----'] } }, 'key ***'],
    ['the postgres server', { user: 'postgres' }, 'the postgres server'],
    ['The project has no dataset "shop"', { dataset: 'shop' }, 'The project has no dataset "shop"'],
    ['a dataset like the key', { dataset: 'the key', token: 'the key' }, 'a dataset like ***'],
    ['nothing to hide', { password: '', port: 5432, ssl: true, other: null }, 'nothing to hide'],
  ])('%s', (text, secrets, shown) => {
    expect(withoutSecrets(text, secrets, ['postgres'])).toBe(shown)
  })

  test('is our own message or a general one', () => {
    const own = new PrivacyError('connection_failed', 'The name hunter2 is unknown.', {})
    expect(shownReason(own, 'otherwise', { password: 'hunter2' }, [])).toBe('The name *** is unknown.')
    expect(shownReason(new Error('hunter2'), 'otherwise', {}, [])).toBe('otherwise')
  })

  test('is all that is left of an error of a host', () => {
    const secrets = { token: 'hunter2' }
    const issues = [{ loc: ['token'], msg: 'hunter2 is too short', type: 'too_short' }]
    const errors = [new PrivacyError('invalid_input', 'hunter2 is bad', { issues }), new Error('hunter2'), 'hunter2']
    for (const error of errors) {
      const refusal = refusalWithoutSecrets(error, 'custom', secrets)
      expect(refusal.code).toBe('invalid_input')
      expect(`${JSON.stringify(refusal)} ${refusal.message} ${refusal.stack} ${refusal.cause}`).not.toContain('hunter2')
    }
  })
})
