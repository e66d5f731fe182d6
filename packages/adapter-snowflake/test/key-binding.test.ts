import { expect, it } from 'vitest'
import { clientSettings, stored } from '../src/client-settings.js'
import { binderOf } from '../src/key-binding.js'
import { liveColumn } from '../src/live-column.js'

const bind = (type: string, scale: number | null = null) => {
  const listed = { collection: 't', name: 'c', position: 1, type, nullable: true, scale, collation: null }
  return binderOf({ name: 'c', ...liveColumn(listed) })
}

it.each([
  [0, 5, '5'],
  [0, '05', '5'],
  [0, ' 5', undefined],
  [0, '0x5', undefined],
  [0, '5.00', '5'],
  [0, '-0', '0'],
  [0, 1e21, '1000000000000000000000'],
  [0, '5.1', undefined],
  [0, 12345678901234567890n, '12345678901234567890'],
  [0, '1'.repeat(38), '1'.repeat(38)],
  [0, '1'.repeat(39), undefined],
  [2, '1.5', '1.5'],
  [2, '.5', '0.5'],
  [2, '1.505', undefined],
  [2, 1e-2, '0.01'],
  [2, '1e-3', undefined],
  [10, '-12345678901234567890.0123456789', '-12345678901234567890.0123456789'],
  [0, '', undefined],
  [0, '.', undefined],
  [0, 'NaN', undefined],
  [0, Number.NaN, undefined],
  [0, true, undefined],
])('a number of scale %s: %s', (scale, value, expected) => expect(bind('NUMBER', scale)(value)).toBe(expected))

it.each([
  ['TIMESTAMP_NTZ', '2024-02-29T23:59:59.123456789Z', '2024-02-29 23:59:59.123456789'],
  ['TIMESTAMP_TZ', '2024-02-29T23:59:59.500+05:30', '2024-02-29 18:29:59.5'],
  ['TIMESTAMP_LTZ', '2024-02-29 23:59:59', '2024-02-29 23:59:59'],
  ['TIMESTAMP_NTZ', '2024-02-30T00:00:00Z', undefined],
  ['TIMESTAMP_NTZ', 'now', undefined],
  ['TIMESTAMP_TZ', '9999-12-31T23:59:59-08:00', undefined],
  ['DATE', '2024-02-29', '2024-02-29'],
  ['DATE', '2023-02-29', undefined],
  ['TIME', '23:59:59.5', '23:59:59.5'],
  ['TIME', '24:00:00', undefined],
  ['BOOLEAN', true, 'true'],
  ['BOOLEAN', 'yes', undefined],
  ['FLOAT', '0.1', '0.1'],
  ['FLOAT', ' ', undefined],
  ['FLOAT', 'NaN', 'NaN'],
  ['FLOAT', '-Infinity', '-inf'],
  ['BINARY', 'AP8=', 'AP8='],
  ['BINARY', 'AP8', undefined],
  ['GEOGRAPHY', 'POINT(0 0)', undefined],
  ['VARIANT', { a: [1] }, '{"a":[1]}'],
])('%s: %s', (type, value, expected) => expect(bind(type)(value)).toBe(expected))

it.each([
  ['shop', 'SHOP'],
  ['Shop', 'Shop'],
  ['"shop"', 'shop'],
  ['"a""b"', 'a"b'],
  ['my shop', 'my shop'],
  ['SHOP', 'SHOP'],
])('the name %s is stored as %s', (name, expected) => expect(stored(name)).toBe(expected))

it.each([
  [{ host: 'org-account' }, 'org-account', 'https://org-account.snowflakecomputing.com'],
  [{ host: 'xy12345.eu-central-1' }, 'xy12345.eu-central-1', 'https://xy12345.eu-central-1.snowflakecomputing.com'],
  [
    { host: 'org-account.privatelink.snowflakecomputing.com' },
    'org-account.privatelink',
    'https://org-account.privatelink.snowflakecomputing.com',
  ],
  [{ host: '127.0.0.1', port: 1 }, '127.0.0.1', 'https://127.0.0.1:1'],
  [{ url: 'http://127.0.0.1:99' }, '127.0.0.1', 'http://127.0.0.1:99'],
  // elsewhere nothing goes without encryption
  [{ url: 'http://org-account/shop' }, 'org-account', 'https://org-account.snowflakecomputing.com'],
])('%j is the account %s at %s', (secrets, account, accessUrl) => {
  expect(clientSettings(secrets)).toMatchObject({ account, accessUrl })
})

it('reads a URL as other clients of Snowflake write it', () => {
  const url = 'snowflake://reader:p%40ss@org-account/shop/sales?warehouse=small&role=analyst'
  expect(clientSettings({ url })).toMatchObject({
    ...{ account: 'org-account', user: 'reader', password: 'p@ss' },
    ...{ database: 'SHOP', schema: 'SALES', warehouse: 'small', role: 'analyst' },
  })
  expect(clientSettings({ url, role_name: 'owner', db_schema: '"sales"' })).toMatchObject({
    role: 'owner',
    schema: 'sales',
  })
})
