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
    ['the timescale "timescale"', { user: 'timescale' }, 'the timescale "timescale"'],
    ['The project has no dataset "shop"', { dataset: 'shop' }, 'The project has no dataset "shop"'],
    [
      'The database "shop" has no schema "app"',
      { database: 'shop', db_schema: 'app' },
      'The database "shop" has no schema "app"',
    ],
    ['a dataset like the key', { dataset: 'the key', token: 'the key' }, 'a dataset like ***'],
    [
      'postgresql could not be reached, and postgres neither',
      { password: 'postgres' },
      'postgresql could not be reached, and postgres neither',
    ],
    ['user "postgres" and postgres:postgres@db', { password: 'postgres' }, 'user "***" and ***:***@db'],
    ['postgresql://postgres@db, pg.postgres.example', { user: 'postgres' }, 'postgresql://***@db, pg.postgres.example'],
    ['password=postgres password: postgres', { password: 'postgres' }, 'password=*** password: ***'],
    ['{"user":"\\"postgres\\""}', { password: 'postgres' }, '{"user":"\\"***\\""}'],
    [
      'a table has a column, password "a", a:a@host',
      { password: 'a' },
      'a table has a column, password "***", ***:***@host',
    ],
    ['check the host, and the password the', { password: 'the' }, 'check the host, and the password ***'],
    ['emailed to email and email_address', { password: 'email' }, 'emailed to *** and email_address'],
    ['{"a":"x\\nhunter"} to%20hunter', { password: 'hunter' }, '{"a":"x\\n***"} to%20***'],
    ['after 10000 ms, not 1000', { password: '1000' }, 'after 10000 ms, not ***'],
    ['xcorrecthorsebatterystaplex', { password: 'correcthorsebatterystaple' }, 'x***x'],
    ['a p.st(gr[es$& b, p-stgres', { password: 'p.st(gr[es$&' }, 'a *** b, p-stgres'],
    ['not a.c but abc', { password: 'a.c' }, 'not *** but abc'],
    ['x+y and "+"', { password: '+' }, 'x+y and "***"'],
    ['nothing to hide', { password: '', port: 5432, ssl: true, other: null }, 'nothing to hide'],
  ])('%s', (text, secrets, shown) => {
    expect(withoutSecrets(text, secrets, ['timescale'])).toBe(shown)
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
