import { getSchema } from '@mrleebo/prisma-ast'
import { expect, it } from 'vitest'
import { prismaCatalogue } from './prisma-catalogue.js'

const catalogueOf = (provider: string, text: string) =>
  prismaCatalogue(getSchema(`datasource db {\n  provider = "${provider}"\n}\n${text}`).list).catalogue.collections

it('documents of MongoDB have members, ids and lists of references', () => {
  const collections = catalogueOf(
    'mongodb',
    `type Address {
  street String
  past   String[]
}
model Post {
  id     String   @id @map("_id") @db.ObjectId
  tagIds String[] @db.ObjectId
  tags   Tag[]    @relation(fields: [tagIds], references: [id])
  at     Address?
}
model Tag {
  id    String @id @map("_id") @db.ObjectId
  posts Post[] @relation(fields: [postIds], references: [id])
  postIds String[] @db.ObjectId
}
`,
  )
  expect(collections.map(({ name }) => name)).toEqual(['Post', 'Tag'])
  const [post] = collections
  expect(post?.primaryKey).toEqual(['_id'])
  expect(post?.columns.map(({ name, kind, array = false }) => [name, kind, array])).toEqual([
    ['_id', 'object_id', false],
    ['tagIds', 'object_id', true],
    ['at', 'object', false],
  ])
  expect(post?.columns[2]?.members?.map(({ name, array = false }) => [name, array])).toEqual([
    ['street', false],
    ['past', true],
  ])
  expect(post?.foreignKeys).toMatchObject([
    { columns: ['tagIds'], references: { collection: 'Tag', columns: ['_id'] } },
  ])
})

it('an object that holds objects of its own type ends', () => {
  const [one] = catalogueOf(
    'mongodb',
    'type Node {\n  value String\n  below Node[]\n}\nmodel One {\n  id String @id\n  tree Node\n}\n',
  )
  expect(one?.columns[1]?.members?.map(({ name }) => name)).toEqual(['value', 'below'])
})

it('texts without a native type are as long as the provider makes them', () => {
  const model = 'model One {\n  id Int @id\n  name String\n  note String @db.Text\n}\n'
  const lengths = (provider: string) => catalogueOf(provider, model)[0]?.columns.map(({ length }) => length)
  expect(lengths('mysql')).toEqual([undefined, 191, undefined])
  expect(lengths('sqlserver')).toEqual([undefined, 1000, undefined])
  expect(lengths('postgresql')).toEqual([undefined, undefined, undefined])
})

it('a time has a zone where the database keeps one', () => {
  const model = 'model One {\n  id Int @id\n  at DateTime\n  own DateTime @db.Timestamp\n}\n'
  const kinds = (provider: string) =>
    catalogueOf(provider, model)[0]
      ?.columns.slice(1)
      .map(({ kind }) => kind)
  expect(kinds('postgresql')).toEqual(['datetime', 'datetime'])
  expect(kinds('mysql')).toEqual(['datetime', 'timestamp'])
  expect(kinds('mongodb')).toEqual(['timestamp', 'timestamp'])
  const zoned = 'model One {\n  id Int @id\n  at DateTime @db.Timestamptz(3)\n}\n'
  expect(catalogueOf('postgresql', zoned)[0]?.columns[1]).toMatchObject({ kind: 'timestamp' })
})

it('a view is shown, and what lies behind it is not known', () => {
  const [view] = catalogueOf('postgresql', 'view Summary {\n  id Int @unique\n}\n')
  expect(view).toMatchObject({ name: 'Summary', view: { writable: false, shows: [] }, uniqueKeys: [['id']] })
})
