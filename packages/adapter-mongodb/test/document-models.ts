import { DBRef, type Document, ObjectId } from 'mongodb'

/**
 * Ways in which applications keep people in documents. A text such as `ann: …` is Ann's alone, `ann+ben: …` both have a right
 * to it, and `none: …` is nobody's.
 */
export interface DocumentModel {
  readonly documents: Readonly<Record<string, readonly Document[]>>
  readonly collections: readonly object[]
}

export const people = { ann: 'ann@example.com', ben: 'ben@example.com', cid: 'cid@example.com' } as const

const [ann, ben, cid] = ['a', 'b', 'c'].map((letter) => new ObjectId(letter.repeat(24))) as [
  ObjectId,
  ObjectId,
  ObjectId,
]
const users = [
  { _id: ann, email: people.ann, name: 'ann: name' },
  { _id: ben, email: people.ben, name: 'ben: name' },
  { _id: cid, email: people.cid, name: 'cid: name' },
]

const key = { name: '_id', service_meta: { primary_key: true } }
const text = (name: string) => ({ name, data_categories: ['user'] })
const identity = (name: string) => ({ name, service_meta: { identity: 'email' } })
const to = (field: string, more: object = {}) => ({ dataset: 'w', field, direction: 'from', ...more })
const refer = (name: string, ...references: readonly object[]) => ({
  name,
  service_meta: { references: references.length > 0 ? references : [to('users._id')] },
})
const collectionOf = (name: string, ...fields: readonly object[]) => ({ name, fields: [key, ...fields] })

/** Whom a reference means is said by a member beside it. */
const byModel = (model: string) =>
  refer(
    'on',
    to('users._id', { when: { [model]: 'User' } }),
    to('teams._id', { direction: 'none', when: { [model]: 'Team' } }),
  )

const models: Readonly<Record<string, DocumentModel>> = {
  'a chat with its members and messages': {
    documents: {
      chats: [
        {
          _id: 1,
          members: [ann, ben],
          topic: 'ann+ben: topic',
          messages: [
            { by: ann, body: 'ann: m1' },
            { by: ben, body: 'ben: m2' },
          ],
        },
        { _id: 2, members: [ann], topic: 'ann: self', messages: [{ by: ann, body: 'ann: m3' }] },
        { _id: 3, members: [cid, ben], topic: 'ben+cid: other', messages: [{ by: cid, body: 'cid: m4' }] },
      ],
    },
    collections: [
      collectionOf('chats', refer('members'), text('topic'), { name: 'messages', fields: [refer('by'), text('body')] }),
    ],
  },
  'reviews of several people, on nobody’s product': {
    documents: {
      products: [
        {
          _id: 1,
          reviews: [
            { by: ben, text: 'ben: r1' },
            { by: ann, text: 'ann: r2' },
            { by: null, text: 'none: r3' },
          ],
        },
        { _id: 2, reviews: [] },
        { _id: 3 },
        { _id: 4, reviews: { by: cid, text: 'cid: alone, and not in a list' } },
      ],
    },
    collections: [
      collectionOf('products', {
        name: 'reviews',
        fields: [refer('by'), text('text')],
      }),
    ],
  },
  'references that name their model': {
    documents: {
      teams: [{ _id: ann, name: 'none: a team with the id of Ann' }],
      likes: [
        { _id: 1, model: 'User', on: ann, t: 'ann: like' },
        { _id: 2, model: 'Team', on: ann, t: 'none: like' },
        { _id: 3, model: 'User', on: ben, t: 'ben: like' },
      ],
      logs: [
        {
          _id: 1,
          entries: [
            { model: 'User', on: ann, t: 'ann: entry' },
            { model: 'Team', on: ann, t: 'none: entry' },
            { model: 'User', on: ben, t: 'ben: entry' },
          ],
        },
      ],
    },
    collections: [
      { name: 'teams', service_meta: { owner: [] }, fields: [key, text('name')] },
      collectionOf('likes', { name: 'model' }, byModel('model'), text('t')),
      collectionOf('logs', { name: 'entries', fields: [{ name: 'model' }, byModel('entries.model'), text('t')] }),
    ],
  },
  'references of MongoDB’s own form': {
    documents: {
      orders: [
        { _id: 1, user: new DBRef('users', ann), t: 'ann: order' },
        { _id: 2, user: new DBRef('users', ben), t: 'ben: order' },
      ],
      rooms: [
        {
          _id: 1,
          seats: [
            { who: new DBRef('users', ann), t: 'ann: seat' },
            { who: new DBRef('users', ben), t: 'ben: seat' },
          ],
        },
      ],
    },
    collections: [
      collectionOf('orders', { name: 'user', fields: [refer('$id')] }, text('t')),
      collectionOf('rooms', { name: 'seats', fields: [{ name: 'who', fields: [refer('$id')] }, text('t')] }),
    ],
  },
  'buckets, whose key is a document': {
    documents: {
      buckets: [
        { _id: { u: ann, day: 1 }, events: [{ t: 'ann: e1' }, { t: 'ann: e2' }] },
        { _id: { u: ben, day: 1 }, events: [{ t: 'ben: e1' }] },
        { _id: { u: ann, day: 2 }, events: [] },
      ],
    },
    collections: [
      {
        name: 'buckets',
        fields: [
          { ...key, fields: [refer('u'), { name: 'day' }] },
          { name: 'events', fields: [text('t')] },
        ],
      },
    ],
  },
  'lists in lists': {
    documents: {
      teams: [
        { _id: 1, pairs: [[ann], [ben]], t: 'ann+ben: pairs' },
        { _id: 2, pairs: [[cid]], t: 'cid: alone' },
      ],
      boards: [
        {
          _id: 1,
          rows: [
            [
              { u: ann, t: 'ann: r1' },
              { u: ben, t: 'ben: r2' },
            ],
            [{ u: ann, t: 'ann: r3' }],
          ],
        },
      ],
      trees: [{ _id: 1, parts: [{ n: [[{ u: ann, t: 'ann: leaf' }]] }, { n: [[{ u: cid, t: 'cid: leaf' }]] }] }],
    },
    collections: [
      collectionOf('teams', refer('pairs'), text('t')),
      collectionOf('boards', { name: 'rows', fields: [refer('u'), text('t')] }),
      collectionOf('trees', { name: 'parts', fields: [{ name: 'n', fields: [refer('u'), text('t')] }] }),
    ],
  },
  'addresses in lists, in any case, alone and absent': {
    documents: {
      tickets: [
        { _id: 1, cc: [people.ann, 'BEN@example.com'], t: 'ann+ben: both' },
        { _id: 2, cc: 'Cid@Example.com ', t: 'cid: one' },
        { _id: 3, cc: [], t: 'none: no one' },
        { _id: 4, t: 'none: absent' },
        { _id: 5, cc: null, t: 'none: null' },
      ],
      events: [
        {
          _id: 1,
          guests: [
            { email: people.ann, diet: 'ann: diet' },
            { email: people.ben, diet: 'ben: diet' },
            { diet: 'none: unnamed' },
            { email: '', diet: 'none: blank' },
          ],
        },
      ],
    },
    collections: [
      collectionOf('tickets', identity('cc'), text('t')),
      collectionOf('events', { name: 'guests', fields: [identity('email'), text('diet')] }),
    ],
  },
}

/** Every model, with the users whom its documents name. */
export const documentModels = Object.entries(models).map(
  ([name, { documents, collections }]): [string, DocumentModel] => [
    name,
    {
      documents: { users, ...documents },
      collections: [collectionOf('users', identity('email'), text('name')), ...collections],
    },
  ],
)
