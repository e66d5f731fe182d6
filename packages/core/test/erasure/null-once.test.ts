import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { eraseShop, key, plain, tableWith } from './described-erasure.js'

const ann = 'ann@example.com'
const columns = { id: 'integer', email: 'string', phone: 'string', number: 'integer' } as const
const rows = [
  [1, ann, '+39 1', 1],
  [2, ann, '+39 2', 2],
]

/** Documents whose unique indexes take null for a value. */
const shop = (...fields: Parameters<typeof collection>[1]) => ({
  type: 'mongodb' as const,
  database: { customer: tableWith(columns, rows, { schemaless: true, nullOnce: [['phone'], ['number']] }) },
  collections: [collection('customer', [key, plain('email', { identity: 'email' }), ...fields])],
})
const named = (strategy: 'null_rewrite' | 'string_rewrite') => ({
  masking_strategy:
    strategy === 'null_rewrite' ? { strategy } : { strategy, configuration: { rewrite_value: 'erased' } },
})

test('a text in a unique index that takes null for a value becomes a random text', async () => {
  const { status, rows: left } = await eraseShop(shop(field('phone')))
  expect(status).toBe('complete')
  const phones = left['customer']?.map(({ phone }) => phone)
  expect(new Set(phones).size).toBe(2)
  for (const phone of phones ?? []) expect(phone).toMatch(/^[^+ ]{30}$/)
})

test.each([
  ['null that was asked for', field('phone', named('null_rewrite') as never), 'cannot become NULL in several rows'],
  ['null in the place of numbers', field('number'), 'cannot become NULL in several rows'],
  ['one text for all', field('phone', named('string_rewrite') as never), 'cannot become the same text in every row'],
])('%s stops the erasure at planning', async (_, described, message) => {
  const { request, rows: left, before } = await eraseShop(shop(described))
  expect(request.status).toBe('error')
  expect(request.failure).toContain(message)
  expect(left).toEqual(before)
})

describe('in members', () => {
  const members = { id: 'integer', email: 'string', contact: 'object', phones: 'object' } as const
  const contact = { name: 'contact', type: 'object', kind: 'object', nullable: true } as const
  const member = (name: string) => ({ name, type: 'string', kind: 'string', nullable: true }) as const
  const documents = [1, 2].map((id) => [id, ann, { mail: `${id}@example.com` }, [{ no: `+39 ${id}` }]])
  const nullOnce = [['contact'], ['contact', 'mail'], ['phones', 'no']]
  const table = tableWith(members, documents, { schemaless: true, nullOnce })
  const columns = table.columns?.map((column) =>
    column.name === 'contact'
      ? { ...contact, members: [member('mail')] }
      : column.name === 'phones'
        ? { ...column, array: true as const, members: [member('no')] }
        : column,
  )
  const within = (...fields: Parameters<typeof collection>[1]) => ({
    type: 'mongodb' as const,
    database: { customer: { ...table, ...(columns && { columns }) } },
    collections: [collection('customer', [key, plain('email', { identity: 'email' }), ...fields])],
  })
  const object = (name: string, ...fields: readonly object[]) => ({ ...plain(name), fields })

  test('and in those of lists, a text becomes a random text', async () => {
    const described = [object('contact', field('mail')), object('phones', field('no'))]
    const { status, rows: left } = await eraseShop(within(...(described as never[])))
    expect(status).toBe('complete')
    const texts = left['customer']?.flatMap((row) => {
      const { contact, phones } = row as unknown as { contact: { mail: string }; phones: { no: string }[] }
      return [contact.mail, ...phones.map(({ no }) => no)]
    })
    expect(new Set(texts).size).toBe(4)
    for (const text of texts ?? []) expect(text).toMatch(/^[^+@ ]{30}$/)
  })

  test('null in the place of the object stops the erasure at planning', async () => {
    const { request, rows: left, before } = await eraseShop(within(field('contact')))
    expect(request.status).toBe('error')
    expect(request.failure).toContain('describe its members')
    expect(left).toEqual(before)
  })
})
