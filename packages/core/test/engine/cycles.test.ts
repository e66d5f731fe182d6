import { describe, expect, it } from 'vitest'
import { collection, field, id, refer, shopOf, table } from './described.js'
import { accessOf } from './service-run.js'

const ann = { email: 'ann@example.com' }
const email = field('email', { identity: 'email' })

describe('cycles', () => {
  it.each([1, 2, 50])(
    'a chain inside a collection is followed to its end, one round a link (%i keys a statement)',
    async (maxKeys) => {
      const length = 40
      const shop = shopOf(
        [
          collection('customer', [id, email, refer('category_id', 'category.id', { direction: 'to' })]),
          collection('category', [id, refer('parent_id', 'category.id', { direction: 'to' }), field('name')]),
        ],
        {
          customer: table({ id: 'integer', email: 'string', category_id: 'integer' }, [[1, 'ann@example.com', 1]]),
          category: table(
            { id: 'integer', parent_id: 'integer', name: 'string' },
            Array.from({ length: length + 5 }, (_, at) => [at + 1, at + 1 < length ? at + 2 : null, `c${at + 1}`]),
          ),
        },
        { capabilities: { maxKeys } },
      )
      const { rows } = await accessOf([shop], [ann])
      expect(rows['shop:category']).toHaveLength(length)
    },
  )

  it('a ring ends', async () => {
    const shop = shopOf([collection('node', [id, email, refer('next', 'node.id', { direction: 'to' })])], {
      node: table({ id: 'integer', email: 'string', next: 'integer' }, [
        [1, 'ann@example.com', 2],
        [2, null, 3],
        [3, null, 1],
      ]),
    })
    const { rows } = await accessOf([shop], [ann])
    expect(rows['shop:node']).toHaveLength(3)
  })

  it('more rounds than execution.maxRounds is an error that names the collections and the option', async () => {
    const shop = shopOf([collection('node', [id, email, refer('next', 'node.id', { direction: 'to' })])], {
      node: table(
        { id: 'integer', email: 'string', next: 'integer' },
        Array.from({ length: 9 }, (_, at) => [at, at === 0 ? 'ann@example.com' : null, at < 8 ? at + 1 : null]),
      ),
    })
    await expect(accessOf([shop], [ann], { execution: { maxRounds: 5 } })).rejects.toThrow(
      /shop:node.*5 times.*execution\.maxRounds/,
    )
    expect((await accessOf([shop], [ann], { execution: { maxRounds: 9 } })).rows['shop:node']).toHaveLength(9)
  })

  it('references from person to person do not lead to friends of friends, who are other people', async () => {
    const friendship = collection('friendship', [
      id,
      refer('one_id', 'person.id'),
      refer('other_id', 'person.id', { direction: 'to' }),
      field('since'),
    ])
    const shop = shopOf([collection('person', [id, email, field('name')]), friendship], {
      person: table(
        { id: 'integer', email: 'string', name: 'string' },
        [1, 2, 3, 4].map((at) => [at, at === 1 ? 'ann@example.com' : `p${at}@example.com`, `p${at}`]),
      ),
      friendship: table({ id: 'integer', one_id: 'integer', other_id: 'integer', since: 'string' }, [
        [1, 1, 2, 'May'],
        [2, 2, 3, 'June'],
        [3, 3, 4, 'July'],
      ]),
    })
    const { rows, results } = await accessOf([shop], [ann])
    expect(rows['shop:friendship']).toMatchObject([{ id: 1 }])
    expect(rows['shop:person']).toMatchObject([{ id: 1 }])
    expect(results['shop:person']).toBe('delivered 1, skipped 1')
  })

  it('a row that is referred to first and own in a later round is own: what it leads to is found', async () => {
    // Message 2 is met as what message 1 answers; that Ann wrote it is known only once her second account is found.
    const shop = shopOf(
      [
        collection('account', [
          id,
          email,
          refer('merged_into', 'account.id', { direction: 'from', meta: {} }),
          refer('last_message', 'message.id', { direction: 'to' }),
        ]),
        collection('message', [
          id,
          refer('author_id', 'account.id', { direction: 'from' }),
          refer('answers', 'message.id', { direction: 'to' }),
          refer('profile', 'account.code', { direction: 'to' }),
        ]),
        collection('attachment', [id, refer('message_id', 'message.id')]),
      ].map((each) => (each.name === 'account' ? { ...each, fields: [...each.fields, field('code')] } : each)),
      {
        account: table(
          { id: 'integer', email: 'string', merged_into: 'integer', last_message: 'integer', code: 'string' },
          [
            [1, 'ann@example.com', null, null, null],
            [2, null, null, null, 'second'],
          ],
        ),
        message: table({ id: 'integer', author_id: 'integer', answers: 'integer', profile: 'string' }, [
          [1, 1, 2, 'second'],
          [2, 2, null, null],
        ]),
        attachment: table({ id: 'integer', message_id: 'integer' }, [
          [1, 1],
          [2, 2],
          [3, 3],
        ]),
      },
    )
    const { rows, results } = await accessOf([shop], [ann])
    expect(rows['shop:message']).toHaveLength(2)
    expect(results['shop:message']).toBe('delivered 2')
    expect(rows['shop:attachment']).toEqual([
      { id: 1, message_id: 1 },
      { id: 2, message_id: 2 },
    ])
  })

  it('others: true delivers rows of others that the person refers to, does not follow them, and is in the plan', async () => {
    const card = [id, refer('owner_id', 'customer.id'), refer('lent_for', 'card.id', { direction: 'to' })]
    const shop = shopOf(
      [
        collection('customer', [id, email, refer('card_id', 'card.id', { direction: 'to' })]),
        collection('card', card, { others: true }),
      ],
      {
        customer: table({ id: 'integer', email: 'string', card_id: 'integer' }, [
          [1, 'ann@example.com', 20],
          [2, 'ben@example.com', 21],
        ]),
        card: table({ id: 'integer', owner_id: 'integer', lent_for: 'integer' }, [
          [10, 1, null],
          [20, 2, 21],
          [21, 2, null],
          [22, 2, 10],
        ]),
      },
    )
    const { rows, results, plan } = await accessOf([shop], [ann])
    expect(rows['shop:card']).toMatchObject([{ id: 10 }, { id: 20 }])
    expect(results['shop:card']).toBe('delivered 1, skipped 1')
    expect(plan.collections.find(({ collection }) => collection === 'card')?.others).toBe(true)
  })

  it('`after` inside a cycle is an error before any query', async () => {
    const shop = shopOf(
      [
        collection('a', [id, email, refer('b_id', 'b.id', { direction: 'to' })], { after: ['shop:b'] }),
        collection('b', [id, refer('a_id', 'a.id', { direction: 'to' })]),
      ],
      {
        a: table({ id: 'integer', email: 'string', b_id: 'integer' }, []),
        b: table({ id: 'integer', a_id: 'integer' }, []),
      },
    )
    await expect(accessOf([shop], [ann])).rejects.toThrow(/'after'.*shop:a/)
    expect(shop.connector.calls.some(({ operation }) => operation === 'read')).toBe(false)
  })
})
