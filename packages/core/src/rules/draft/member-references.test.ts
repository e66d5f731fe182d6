import { describe, expect, it } from 'vitest'
import type { Catalogue, CatalogueCollection, Column } from '../../model/catalogue.js'
import { draftDataset } from './draft-dataset.js'

const column = (name: string, kind: Column['kind'], more: Partial<Column> = {}): Column => ({
  ...{ name, type: '', nullable: true, ...more },
  ...(kind && { kind }),
})
const list = (name: string, ...members: Column[]) => column(name, 'object', { array: true, members })
const object = (name: string, ...members: Column[]) => column(name, 'object', { members })
const collection = (
  name: string,
  columns: Column[],
  more: Partial<CatalogueCollection> = { primaryKey: ['_id'] },
): CatalogueCollection => ({
  ...{ name, columns, primaryKey: [], uniqueKeys: [], foreignKeys: [], indexes: [] },
  ...more,
})
const id = column('_id', 'object_id', { nullable: false })
const people = (name: string) => collection(name, [id, column('email', 'string'), column('name', 'string')])

function drafted(...collections: CatalogueCollection[]) {
  const catalogue: Catalogue = { collections }
  const { proposals, open } = draftDataset(catalogue, { key: 'shop' })
  const found = proposals.filter(({ kind }) => kind === 'reference' || kind === 'direction')
  return { ids: found.map((each) => each.id), proposals, summary: open.summary }
}

describe('members that are named like keys', () => {
  const userId = column('userId', 'object_id')

  it('of elements get a reference and a direction, and are named until somebody decides', () => {
    const posts = collection('posts', [
      id,
      column('authorId', 'object_id'),
      list('comments', userId, column('text', 'string')),
    ])
    const { ids, proposals, summary } = drafted(people('users'), posts)
    expect(ids).toEqual(expect.arrayContaining(['posts.comments.userId:reference', 'posts.comments.userId:from']))
    const [reference] = proposals.filter((each) => each.id === 'posts.comments.userId:reference')
    expect(reference).toMatchObject({
      confidence: 0.85,
      reason: expect.stringContaining("named like the key of 'users'"),
    })
    expect(summary).toContain("No reference is described for 'posts.authorId', 'posts.comments.userId'")
  })

  it('of objects are found as well, by the name of the object where they are only called id', () => {
    const chat = collection('chat', [
      id,
      object('reviewer', column('pupil_id', 'object_id')),
      object('pupil', id, column('name', 'string')),
      list('members', column('pupil_id', 'object_id')),
    ])
    expect(drafted(people('pupils'), chat).ids.filter((each) => each.endsWith(':reference'))).toEqual([
      'chat.reviewer.pupil_id:reference',
      'chat.pupil._id:reference',
      'chat.members.pupil_id:reference',
    ])
  })

  const dbRef = [column('$id', 'object_id'), column('$ref', 'string')]
  const referencesOf = (given: CatalogueCollection, ...others: CatalogueCollection[]) =>
    drafted(given, ...others).proposals.flatMap((each) => (each.kind === 'reference' ? [each] : []))

  it.each([
    ['an object', object('patient', ...dbRef), 'patient', 0.5],
    ['a list of objects', list('seen', ...dbRef), 'seen', 0.5],
    ['an object in a list', list('seats', object('user', ...dbRef)), 'seats.user', 0.85],
  ])(
    'and are the id of a DBRef, get a reference where its collection is that of people, in %s',
    (_, held, path, sure) => {
      const visits = collection('visits', [id, held])
      const things = collection('things', [id, column('size', 'integer')])
      expect(referencesOf(visits, people('users'), things)).toMatchObject([
        {
          id: `visits.${path}.$id:reference`,
          references: { dataset: 'shop', field: 'users._id', when: { [`${path}.$ref`]: 'users' } },
          confidence: sure,
        },
      ])
    },
  )

  it('and are the id of a DBRef, get a reference for each collection of people and the one that is named', () => {
    const visits = collection('visits', [id, object('thing', ...dbRef)])
    const things = collection('things', [id, column('size', 'integer')])
    const found = referencesOf(visits, people('users'), people('customers'), things)
    expect(found.map((each) => each.id)).toEqual([
      'visits.thing.$id>users:reference',
      'visits.thing.$id>customers:reference',
      'visits.thing.$id>things:reference',
    ])
  })

  it('and are the id of a DBRef, give a row to a person only where they are named after one', () => {
    const of = (name: string, held: string) =>
      collection(name, [id, object(held, ...dbRef), column('description', 'string')])
    const { proposals } = drafted(
      people('users'),
      of('products', 'category'),
      of('carts', 'user'),
      of('visits', 'patient'),
    )
    const ids = proposals.map((each) => each.id)
    expect(ids).toContain('products.category.$id:reference')
    const texts = ids.filter((each) => each.endsWith('.description:category'))
    expect(texts).toEqual(['carts.description:category', 'visits.description:category'])
  })

  it('may be lists of keys', () => {
    const chat = collection('chat', [id, column('pupil_ids', 'object_id', { array: true })])
    expect(drafted(people('pupils'), chat).ids).toContain('chat.pupil_ids:reference')
  })
})

describe('columns named like keys, where the database declares none', () => {
  it.each<[string, CatalogueCollection, Column]>([
    [
      'an id',
      collection('customers', [column('id', 'integer'), column('email', 'string'), column('name', 'string')], {}),
      column('customer_id', 'decimal'),
    ],
    [
      'a column of the same name',
      collection('customers', [column('customer_id', 'string'), column('email', 'string')], {}),
      column('customer_id', 'string'),
    ],
    ['the text of an ObjectId', people('customers'), column('customer_id', 'string')],
  ])('are named in the summary, and less sure: %s', (_, customers, key) => {
    const { proposals, summary } = drafted(customers, collection('orders', [column('nr', 'integer'), key], {}))
    expect(proposals.find((each) => each.id === 'orders.customer_id:reference')).toMatchObject({ confidence: 0.7 })
    expect(summary).toContain("No reference is described for 'orders.customer_id'")
  })

  it('refer to nothing where no column of the other table is named like its key', () => {
    const customers = collection('customers', [column('email', 'string'), column('name', 'string')], {})
    expect(drafted(customers, collection('orders', [column('customer_id', 'string')], {})).ids).toEqual([])
  })
})

describe('categories of members', () => {
  it('are proposed for parts of names and for whom a parcel goes to', () => {
    const text = (name: string) => column(name, 'string')
    const shop = collection('orders', [
      id,
      object('name', text('first'), text('last')),
      object('shipTo', text('name')),
      object('geo', column('lat', 'float')),
    ])
    const { proposals } = drafted(shop)
    expect(proposals.flatMap((each) => (each.kind === 'category' ? [[each.id, each.category]] : []))).toEqual([
      ['orders.name.first:category', 'user.name'],
      ['orders.name.last:category', 'user.name'],
      ['orders.shipTo.name:category', 'user.name'],
      ['orders.geo.lat:category', 'user.location'],
    ])
  })

  it('are proposed for free texts in elements of rows with an owner', () => {
    const posts = collection('posts', [id, column('userId', 'object_id'), list('reviews', column('body', 'string'))])
    expect(drafted(people('users'), posts).proposals.map((each) => each.id)).toContain('posts.reviews.body:category')
  })
})
