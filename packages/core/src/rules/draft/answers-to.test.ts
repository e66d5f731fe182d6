import { expect, test } from 'vitest'
import { collection, field, from, key, live, undirected, wanted } from '../../../test/fixtures/planned-shop.js'
import type { Catalogue } from '../../model/catalogue.js'
import { type DatasetInput, type FieldInput, parseDataset } from '../../model/dataset.js'
import { describedOwnership } from '../plan/described-ownership.js'
import { type AnsweredReference, answersText, type ReferenceAnswer } from './answers-to.js'
import { type OpenReference, referenceQuestions } from './reference-questions.js'

type Meta = Record<string, unknown>

const mail = field('email', { identity: 'email' })
const users = collection('users', [key(), mail, wanted('name')])
const posts = collection('posts', [key(), from('author_id', 'users.id')])
const peopleWith = (...fields: unknown[]) => collection('users', [key(), mail, ...fields])
const pages = (...fields: unknown[]) => collection('pages', [key(), ...fields, wanted('text')])
const byType = (...targets: string[]) =>
  field('subject_id', {
    references: targets.map((target) => ({ dataset: 'shop', field: `${target}.id`, when: { subject_type: target } })),
  })
const members = collection('members', [field('tenant', { primary_key: true }), key('no'), mail])
const part = (name: string) => undirected(name, `members.${name}`, { group: 'g' })
const keyOf = (target: string, meta: Meta = {}) =>
  field('id', { primary_key: true, references: [{ dataset: 'shop', field: target, ...meta }] })
const table = (name: string, ...columns: string[]) => live(name, ['id', ...columns], { primaryKey: ['id'] })
const typed = (...values: string[]): Catalogue => {
  const subjects = table('pages', 'subject_type', 'subject_id', 'text')
  const columns = subjects.columns.map((each) =>
    each.name === 'subject_type' ? { ...each, kind: 'string' as const, ...(values.length > 0 && { values }) } : each,
  )
  return { collections: [table('users', 'email', 'name'), table('posts', 'author_id'), { ...subjects, columns }] }
}

const shapes: [string, unknown[], Catalogue?][] = [
  ['a single reference', [users, pages(undirected('user_id', 'users.id'))]],
  ['one of two references', [users, pages(undirected('one_id', 'users.id'), undirected('other_id', 'users.id'))]],
  ['one beside another', [users, posts, pages(from('user_id', 'users.id'), undirected('post_id', 'posts.id'))]],
  ['a pair with conditions', [users, posts, pages(field('subject_type'), byType('users', 'posts'))]],
  ['a pair that is not described', [users, pages(field('subject_type'), field('subject_id'))]],
  ['a pair whose types are listed', [users, posts, pages(field('subject_type'), field('subject_id'))], typed('post')],
  ['a pair without a described type', [users, pages(field('subject_id'))], typed()],
  ['its own collection', [users, pages(from('user_id', 'users.id'), undirected('parent_id', 'pages.id'))]],
  ['people of people', [peopleWith(undirected('boss_id', 'users.id'))]],
  ['people of other people', [users, collection('customer', [key(), mail, undirected('rep_id', 'users.id')])]],
  ['a look-up', [peopleWith(undirected('at_id', 'places.id')), collection('places', [key(), wanted('street')])]],
  ['a key that several rows may hold', [users, pages(undirected('name', 'users.name'))]],
  ['several columns', [members, pages(part('tenant'), part('no'))]],
  ['a reference described at the key', [collection('users', [keyOf('pages.user_id'), mail]), pages(field('user_id'))]],
  [
    'a reference besides a described owner',
    [
      users,
      { ...pages(from('one_id', 'users.id'), undirected('two_id', 'users.id')), service_meta: { owner: ['one_id'] } },
    ],
  ],
  [
    'a reference to a collection that leads on',
    [
      peopleWith(undirected('thing_id', 'things.id')),
      collection('things', [key()]),
      pages(from('thing_id', 'things.id')),
    ],
  ],
  ['a group', [users, collection('teams', [key(), undirected('user_id', 'users.id'), wanted('x')])]],
  [
    'a doubtful name',
    [users, pages(undirected('user_id', 'users.id'))],
    { collections: [table('users', 'email', 'name'), table('pages', 'user_id', 'text', 'created_by')] },
  ],
  ['a member of a document', [users, pages({ name: 'by', fields: [undirected('user_id', 'users.id')] })]],
]

test.each(shapes)('each answer to %s closes it, or leaves less open', (_, collections, catalogue) => {
  const dataset: DatasetInput = { service_key: 'shop', collections: structuredClone(collections) as never }
  const { references } = openOf(dataset, catalogue)
  expect(references.length).toBeGreaterThan(0)
  for (const question of references) {
    for (const answer of question.answers) {
      const after = openOf(written(dataset, question, answer), catalogue).references
      const same = after.find(({ name, to }) => name === question.name && to === question.to)
      const isLess = !same || same.kinds.length < question.kinds.length || same.why !== question.why
      expect([question.name, answer, isLess]).toEqual([question.name, answer, true])
    }
  }
})

test('a question that stays open after an answer changes, and ends', () => {
  const dataset: DatasetInput = { service_key: 'shop', collections: structuredClone(shapes[4]?.[1]) as never }
  const [pair] = openOf(dataset).references
  expect(pair).toMatchObject({ name: 'shop:pages.subject_id', to: null })
  const described = written(dataset, pair!, pair!.answers[0]!)
  const [next, ...others] = openOf(described).references
  expect([next?.to, others]).toEqual(['shop:users', []])
  expect(openOf(written(described, next!, next!.answers[0]!)).references).toEqual([])
})

test('the answers in one sentence name each place once', () => {
  const dataset: DatasetInput = { service_key: 'shop', collections: structuredClone(shapes[0]?.[1]) as never }
  const text = answersText('shop', openOf(dataset).references[0]!.answers)
  expect(text.match(/on 'shop:pages\.user_id'/g)).toHaveLength(1)
  expect(text).toMatch(
    /the direction 'from' where .*; or on 'shop:pages' owner: \[user_id\] where .*; owner: \[\] where/,
  )
})

test('an answer says where rows still stay undecided', () => {
  const dataset: DatasetInput = {
    service_key: 'shop',
    collections: [users, pages(undirected('name', 'users.name'))] as never,
  }
  const [question] = openOf(dataset).references
  const hasContact = question!.answers.filter(({ means }) =>
    means.includes("several rows of 'shop:users' hold the same 'name'"),
  )
  expect(hasContact.map(({ write, value }) => [write, value])).toEqual([
    ['direction', 'from'],
    ['owner', ['name']],
  ])
})

function openOf(described: DatasetInput, catalogue?: Catalogue) {
  const sources = [{ dataset: parseDataset(described).value, ...(catalogue && { catalogue }) }]
  const { graph, owners } = describedOwnership(sources, { inferIdentities: true })
  return referenceQuestions('shop', graph, owners)
}

/** The dataset with an answer, as a person would write it who read only the question. */
function written(
  described: DatasetInput,
  { to, collection: referrer }: OpenReference,
  { write, at, value }: ReferenceAnswer,
): DatasetInput {
  const copy = structuredClone(described)
  const [name = '', ...path] = at.split('.')
  const place = copy.collections!.find((each) => each.name === name)!
  if (write === 'owner') {
    place.service_meta = { ...place.service_meta, owner: [...(value as string[])] }
    return copy
  }
  const meta = fieldAt(place, path).service_meta!
  if (write === 'reviewed') meta.reviewed = true
  else if (write === 'reference') meta.references = [value as AnsweredReference]
  else {
    const other = name === referrer ? to : `shop:${referrer}`
    for (const each of meta.references ?? [])
      if (other === `shop:${each.field.split('.')[0]}`) each.direction = value as 'from'
  }
  return copy
}

function fieldAt(holder: Pick<FieldInput, 'fields'>, [first = '', ...rest]: readonly string[]): FieldInput {
  const fields = holder.fields ?? []
  const found: FieldInput = fields.find(({ name }) => name === first) ?? { name: first }
  if (!fields.includes(found)) holder.fields = [...fields, found]
  found.service_meta ??= {}
  return rest.length === 0 ? found : fieldAt(found, rest)
}
