import { describe, expect, it } from 'vitest'
import { collection, customer, field, from, key, planned, to, wanted } from '../../../test/fixtures/planned-shop.js'
import { planMermaid } from './plan-mermaid.js'
import { planText } from './plan-text.js'

const list = (name: string, fields: unknown[], meta: object = {}) => ({
  ...field(name, { data_type: 'object[]', ...meta }),
  fields,
})
const comments = (member: unknown, meta: object = {}) => list('comments', [member, wanted('text')], meta)
const author = from('author_id', 'customer.id')
const reader = from('reader_id', 'customer.id')
const address = collection('address', [key(), wanted('street')])

/** The fields that say whose an element of a post is, and not whose the post is. */
function inside(fields: unknown[], meta: object = {}): string[] {
  const plan = planned({
    collections: [customer, address, collection('posts', [key(), wanted('title'), ...fields], meta as never)],
  })
  const { judging, entries } = plan.collections.find(({ collection }) => collection === 'posts')!
  const marked = entries.flatMap(({ inside, fields }) => (inside ? fields.map(({ name }) => name) : []))
  const judged = [
    ...judging.owners.flatMap(({ name, inside }) => (inside ? [name] : [])),
    ...judging.identities.flatMap((each) => (each.inside ? [each.field.name] : [])),
  ]
  expect(marked).toEqual(judged)
  return judged
}

const signed = field('email', { identity: 'email' })

describe('a field in the elements of a list', () => {
  it.each<[string, unknown[], string[], object?]>([
    ['a reference beside an owner', [author, comments(reader)], ['comments.reader_id']],
    ['a reference beside an identity', [signed, comments(reader)], ['comments.reader_id']],
    [
      'a reference beside a written owner',
      [author, comments(reader)],
      ['comments.reader_id'],
      { owner: ['author_id'] },
    ],
    ['an identity beside an owner', [author, comments(signed)], ['comments.email']],
  ])('says whose the element is: %s', (_, fields, names, meta) => {
    expect(inside(fields, meta)).toEqual(names)
  })

  it.each<[string, unknown[], object?]>([
    ['where nothing outside of lists has an owner', [comments(reader)]],
    ['where only a part of the person lies outside', [to('place_id', 'address.id'), comments(reader)]],
    ['where it is the written owner', [author, comments(reader)], { owner: ['comments.reader_id'] }],
    ['where the list belongs to one person', [author, comments(reader, { return_all_elements: true })]],
    ['where the object is no list', [author, { ...field('meta', { data_type: 'object' }), fields: [reader] }]],
    ['where the list is one of keys', [author, from('reader_ids', 'customer.id')]],
    ['where it is an identity in the record of a person', [field('mobile', { identity: 'phone' }), comments(signed)]],
    ['where the row holds the same kind of identity', [author, signed, comments(signed)]],
  ])('says whose the row is %s', (_, fields, meta) => {
    expect(inside(fields, meta)).toEqual([])
  })
})

it('is named in the text and the picture of a plan', () => {
  const plan = planned({ collections: [customer, address, collection('posts', [key(), author, comments(reader)])] })
  const said = 'comments.reader_id decides who owns an element, and not who owns its row'
  expect(planText(plan)).toContain(`\n   ${said}\n`)
  expect(planText(plan)).toContain('by comments.reader_id ← shop:customer.id (elements alone)')
  expect(planMermaid(plan)).toContain(said)
})

it('leaves a part undecided that the text and the picture of a plan name', () => {
  const open = field('user_id', { references: [{ dataset: 'shop', field: 'customer.id' }] })
  const plan = planned({ collections: [customer, address, collection('posts', [key(), author, comments(open)])] })
  expect(planText(plan)).toMatch(/Undecided in part: .*\n- shop:posts\.comments\.user_id: .+\. Say .+'none'/)
  expect(planText(plan)).toContain(
    "the direction 'from' where an element belongs to the person of 'shop:customer' that it refers to;",
  )
  expect(planMermaid(plan)).toContain("what stands beside 'comments.user_id' stays undecided")
})
