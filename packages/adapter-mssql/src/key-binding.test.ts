import { describe, expect, it } from 'vitest'
import { binderOf, valueBinderOf } from './key-binding.js'
import { liveColumn, type MssqlColumn } from './live-column.js'

const column = (base: string, more: object = {}): MssqlColumn => {
  const sized = { bytes: 20, precision: 10, scale: 2, ...more }
  const listed = { collection: 't', name: 'v', position: 1, type: base, nullable: true, json: false, base, ...sized }
  return { name: 'v', ...liveColumn({ collation: null, codePage: null, ...listed }) }
}

describe('a key is what a row of its type can hold, and nothing that the server would round', () => {
  it.each<[string, unknown, string | undefined, object?]>([
    ['tinyint', 255, '255'],
    ['tinyint', 256, undefined],
    ['tinyint', -1, undefined],
    ['bigint', '9223372036854775807', '9223372036854775807'],
    ['bigint', '9223372036854775808', undefined],
    ['bigint', 2 ** 53, undefined],
    ['bit', true, '1'],
    ['bit', 1, undefined],
    ['decimal', '12345678.9', '12345678.9'],
    ['decimal', '1.001', undefined],
    ['decimal', '123456789', undefined],
    ['money', '922337203685477.5807', '922337203685477.5807'],
    ['money', '922337203685477.5808', undefined],
    ['money', '0.00001', undefined],
    ['smallmoney', '-214748.3648', '-214748.3648'],
    ['smallmoney', '-214748.3649', undefined],
    ['real', 0.1, '0.10000000149011612'],
    ['float', 'x', undefined],
    ['uniqueidentifier', '0E4A2F5C-6A0B-4A57-9D51-2F1A3B0C4D01', '0E4A2F5C-6A0B-4A57-9D51-2F1A3B0C4D01'],
    ['uniqueidentifier', '0e4a2f5c6a0b4a579d512f1a3b0c4d01', undefined],
    ['date', '2024-02-30', undefined],
    ['date', '0001-01-01', '0001-01-01'],
    ['datetime2', '2024-02-29T23:59:59.1234567Z', '2024-02-29 23:59:59.1234567', { scale: 7 }],
    ['datetime2', '2024-02-29T23:59:59.1234567', undefined, { scale: 6 }],
    ['datetime2', '2024-02-29T23:59:59.1200000Z', '2024-02-29 23:59:59.12', { scale: 2 }],
    ['datetime2', '2024-01-01T00:30:00+01:00', '2023-12-31 23:30:00', { scale: 7 }],
    ['datetimeoffset', '2024-01-01T00:30:00.5+01:00', '2024-01-01 00:30:00.5 +01:00', { scale: 7 }],
    ['datetimeoffset', '2024-01-01T00:30:00Z', '2024-01-01 00:30:00 +00:00', { scale: 0 }],
    ['datetime', '2024-01-01T00:00:00.003', '2024-01-01 00:00:00.003'],
    ['datetime', '2024-01-01T00:00:00.004', undefined],
    ['datetime', '1752-12-31T00:00:00', undefined],
    ['smalldatetime', '2024-01-01T12:30:00', '2024-01-01 12:30:00'],
    ['smalldatetime', '2024-01-01T12:30:01', undefined],
    ['time', '23:59:59.1234567', '23:59:59.1234567', { scale: 7 }],
    ['time', '24:00:00', undefined, { scale: 7 }],
    ['varbinary', 'AP8=', '00ff'],
    ['varbinary', 'AP8', undefined],
    ['nvarchar', 'x'.repeat(10), 'x'.repeat(10)],
    ['nvarchar', 'x'.repeat(11), undefined],
    ['nvarchar', 'x'.repeat(11), 'x'.repeat(11), { bytes: -1 }],
    ['nvarchar', '\ud800', undefined],
    ['geography', 'POINT (1 2)', undefined],
  ])('%s: %s', (base, value, bound, more) => {
    expect(binderOf(column(base, more))(value as never)).toBe(bound)
  })
})

it.each([
  [1252, 'Zoë €', 'Zoë €'],
  [1252, 'ż', undefined],
  [1250, 'abc', 'abc'],
  [1250, 'ż', undefined],
  [65_001, '漢', '漢'],
])('a new text of the code page %i is written only where no character is lost: %s', (codePage, text, written) => {
  expect(valueBinderOf(column('varchar', { bytes: 40, codePage }))(text)).toBe(written)
})
