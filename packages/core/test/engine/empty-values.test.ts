import { describe, expect, it } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { accessTo, email, name } from './whose-access.js'

const ann = { email: 'ann@example.com' }

describe('values that mean nothing', () => {
  const described = (code: string | number, kind: 'string' | 'integer', placeholders?: readonly (string | number)[]) =>
    shopOf(
      [
        collection('person', [id, name, email, field('code', placeholders ? { placeholders } : {})]),
        collection('visit', [id, refer('code', 'person.code', placeholders ? { meta: { placeholders } } : {})]),
      ],
      {
        person: table({ id: 'integer', name: 'string', email: 'string', code: kind }, [
          [1, 'Ann', 'ann@example.com', code],
        ]),
        visit: table({ id: 'integer', code: kind }, [[10, code]]),
      },
    )

  it.each([
    ['N/A', 'string'],
    ['-', 'string'],
    ['0', 'string'],
    [0, 'integer'],
  ] as const)('%j is not followed where the fields declare it as a placeholder', async (code, kind) => {
    const { got, request } = await accessTo([described(code, kind, ['N/A', '-', '0', 0])], ann)
    expect(request.status).toBe('complete')
    expect(got).toEqual({ person: [1] })
    expect((await accessTo([described(code, kind)], ann)).got).toEqual({ person: [1], visit: [10] })
  })

  it.each([
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a zero-width space', '\u200b'],
    ['a zero-width joiner', '\u200d'],
    ['a byte order mark', '\ufeff'],
    ['a blank of Braille', '\u2800'],
    ['a soft hyphen', '\u00ad'],
    ['a Hangul filler', '\u3164'],
    ['a tab and a line', '\t\r\n'],
  ])('%s is never followed', async (_, code) => {
    expect((await accessTo([described(code, 'string')], ann)).got).toEqual({ person: [1] })
  })

  it.each([['N/A'], ['-'], ['0'], ['noreply@example.com']])('%j as an identity finds nobody', async (value) => {
    const placeholders = ['N/A', '-', '0', 'noreply@example.com']
    const shop = shopOf([collection('person', [id, field('email', { identity: 'email', placeholders })])], {
      person: table({ id: 'integer', email: 'string' }, [[1, value]]),
    })
    const { got } = await accessTo([shop], { email: value })
    expect(got).toEqual({})
    expect(shop.connector.calls.some(({ operation }) => operation === 'read')).toBe(false)
  })
})
