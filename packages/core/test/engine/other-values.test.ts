import { describe, expect, it, test } from 'vitest'
import { collection, documents, field, id, refer, shopOf, table } from './described.js'
import { accessOf } from './service-run.js'

/* A person's row that holds a second value of the property it was found by. */

const [ann, ben] = [{ email: 'ann@example.com' }, { email: 'ben@example.com' }]
const both = [ann.email, ben.email]

const inList =
  "its list holds other values, the person's or somebody else's: name them in the request where they are theirs, or say on the identity 'reviewed: true' where the list also names others and 'return_all_elements' where it is one person's"

const emails = (meta: object = {}) => field('emails', { identity: 'email', data_type: 'string[]', ...meta })
const person = (fields: object[], ...rows: object[]) =>
  shopOf([collection('person', [id, ...fields])], { person: documents(rows as never) }, { type: 'mongodb' })

async function told(shop: ReturnType<typeof person>, ...identities: { email: string }[]) {
  const { request, rows } = await accessOf([shop], identities)
  const others = (request.results ?? []).flatMap(({ otherValues = [] }) =>
    otherValues.map(({ reference, rowCount, reason }) => `${rowCount} by ${reference}: ${reason}`),
  )
  return { others, incomplete: request.incomplete, notSearched: rows['not_searched'], rows }
}

describe('an access names the rows of the person', () => {
  it('in whose list of addresses others were left out, in the record and in the package', async () => {
    const rows = [
      { id: 1, emails: both },
      { id: 2, emails: [ann.email] },
    ]
    const { others, incomplete, notSearched, rows: got } = await told(person([emails()], ...rows), ann)
    expect(got['shop:person']).toEqual([{ id: 1, emails: [ann.email] }, rows[1]])
    expect(others).toEqual([`1 by shop:person.emails: ${inList}`])
    expect(incomplete).toBe(true)
    expect(notSearched).toEqual([
      {
        collection: 'shop:person',
        reason: `a part of 1 row left out that may be this person's by shop:person.emails: ${inList}`,
      },
    ])
  })

  it('that hold another address in a second column: they are delivered as a whole', async () => {
    const fields = [field('email', { identity: 'email' }), field('mail', { identity: 'email' })]
    const row = { id: 1, email: ann.email, mail: ben.email }
    const { others, incomplete, rows: got } = await told(person(fields, row), ann)
    expect(got).toEqual({ 'shop:person': [row] })
    expect(others).toEqual([
      expect.stringMatching(/^1 by shop:person.mail: mail holds a second value, the person's or somebody else's/),
    ])
    expect(incomplete).toBeUndefined()
  })

  it('once where a column holds one address, and a list another', async () => {
    const row = { id: 1, email: ann.email, emails: [ben.email] }
    const { others } = await told(person([field('email', { identity: 'email' }), emails()], row), ann)
    expect(others).toEqual([`1 by shop:person.emails: ${inList}`])
  })

  it('that hold objects in a list which is named like addresses', async () => {
    const list = (name: string) =>
      field(name, { data_type: 'object[]' }, [], [field('address', { identity: 'email', data_type: 'string' })])
    const row = { id: 1, emails: both.map((address) => ({ address })), members: both.map((address) => ({ address })) }
    const { others } = await told(person([list('emails')], row), ann)
    expect(others).toEqual([`1 by shop:person.emails.address: ${inList}`])
    expect((await told(person([list('members')], row), ann)).others).toEqual([])
  })
})

test.each<[string, object, { email: string }[]]>([
  ['the list is said to be one person’s', { return_all_elements: true }, [ann]],
  ['somebody has reviewed the list', { reviewed: true }, [ann]],
  ['the request names every address', {}, [ann, ben]],
])('nothing is named where %s', async (_, meta, identities) => {
  const { others, incomplete, notSearched } = await told(person([emails(meta)], { id: 1, emails: both }), ...identities)
  expect([others, incomplete, notSearched]).toEqual([[], undefined, undefined])
})

it('elements of the rows of others are nobody else’s to name', async () => {
  const shop = shopOf(
    [
      collection('person', [id, field('email', { identity: 'email' })]),
      collection('post', [
        id,
        refer('author', 'person.id'),
        field('emails', { data_type: 'object[]' }, [], [field('address', { identity: 'email', data_type: 'string' })]),
      ]),
    ],
    {
      person: table({ id: 'integer', email: 'string' }, [
        [1, ann.email],
        [2, ben.email],
      ]),
      post: documents([{ id: 1, author: 2, emails: both.map((address) => ({ address })) }]),
    },
    { type: 'mongodb' },
  )
  const { others, rows } = await told(shop, ann)
  expect(rows['shop:post']).toEqual([{ emails: [{ address: ann.email }] }])
  expect(others).toEqual([])
})

describe('`reviewed: true` in the elements of a list', () => {
  const mine = { from: ann.email, text: 'of Ann' }
  const thread = [mine, { from: ben.email, text: 'of Ben' }]
  const tickets = (meta: object) =>
    person(
      [
        field('email', { identity: 'email' }),
        field(
          'thread',
          { data_type: 'object[]' },
          [],
          [field('from', { ...meta }, ['user.contact.email']), field('text')],
        ),
      ],
      { id: 1, email: ann.email, thread },
    )

  it('says beside an identity that the list also names others, who are left out', async () => {
    const { incomplete, rows } = await told(tickets({ identity: 'email', reviewed: true }), ann)
    expect(rows['shop:person']).toEqual([{ id: 1, email: ann.email, thread: [mine] }])
    expect(incomplete).toBeUndefined()
  })

  it('says without one that it names nobody but the person of the row', async () => {
    const { rows } = await told(tickets({ reviewed: true }), ann)
    expect(rows['shop:person']).toEqual([{ id: 1, email: ann.email, thread }])
  })

  it('is offered with what follows, after the identity', async () => {
    const { request, rows, plan } = await accessOf([tickets({})], [ann])
    expect(rows['shop:person']).toEqual([{ id: 1, email: ann.email }])
    expect(request.incomplete).toBe(true)
    const [doubt] = plan.collections[0]?.doubts ?? []
    expect(doubt?.answers).toMatch(
      /the identity 'email' on 'shop:person.thread.from' where it also names others, who then get their own elements; or a reference .*; or on 'shop:person.thread.from' reviewed: true where 'thread.from' names nobody but the owner of the row, who then gets all that stands there/,
    )
  })
})
