import type { Value } from '@habeas/core'
import { memoryConnector } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { accessOnce } from '../engine/engine-run.js'
import { field, everything as policy } from './world.js'

it('`return_all_elements` on an inner array does not let elements of the outer one through', async () => {
  const connector = memoryConnector({
    type: 'mongodb',
    database: {
      room: {
        schemaless: true,
        columns: [],
        primaryKey: ['_id'],
        rows: [
          {
            _id: 1,
            guests: [
              { name: 'Ann', emails: ['a@x', 'ann@y'] },
              { name: 'somebody else', emails: ['b@x'] },
            ],
          },
        ],
      },
    },
  })
  const document = {
    service_key: 'db',
    collections: [
      {
        name: 'room',
        fields: [
          {
            name: 'guests',
            service_meta: { data_type: 'object[]' },
            fields: [
              field('name'),
              field('emails', { identity: 'email', data_type: 'string[]', return_all_elements: true }),
            ],
          },
        ],
      },
    ],
  }
  const { rows } = await accessOnce({ datasets: [{ document, connector }], policy }, [{ email: 'a@x' }])
  expect(rows['db:room']).toEqual([{ guests: [{ name: 'Ann', emails: ['a@x', 'ann@y'] }] }])
})

describe('a `when` on a member of a list', () => {
  const list = (name: string, ...fields: object[]) => ({ name, service_meta: { data_type: 'object[]' }, fields })
  const leadsTo = (kind: string) => ({
    dataset: 'db',
    field: `${kind}._id`,
    direction: 'to',
    when: { 'about.kind': kind },
  })
  const collections = [
    {
      name: 'person',
      fields: [
        field('email', { identity: 'email' }),
        list(
          'about',
          { name: 'kind' },
          { name: 'id', service_meta: { data_type: 'integer', references: ['note', 'offer'].map(leadsTo) } },
        ),
      ],
    },
    { name: 'note', fields: [{ name: '_id' }, field('text')] },
    { name: 'offer', fields: [{ name: '_id' }, field('text')] },
  ]
  const collection = (...rows: Record<string, Value>[]) => ({
    schemaless: true,
    columns: [],
    primaryKey: ['_id'],
    rows,
  })

  it.each([
    ['as numbers', 1, 2],
    ['as their digits', '1', '2'],
  ])('leads only from elements of that kind, to ids kept %s', async (_, first, second) => {
    const about = [
      { kind: 'note', id: 1 },
      { kind: 'offer', id: 2 },
    ]
    const connector = memoryConnector({
      type: 'mongodb',
      database: {
        person: collection({ _id: 9, email: 'a@x', about }),
        note: collection({ _id: first, text: 'her note' }, { _id: second, text: "somebody else's note" }),
        offer: collection({ _id: first, text: "somebody else's offer" }, { _id: second, text: 'her offer' }),
      },
    })
    const document = { service_key: 'db', collections }
    const { rows } = await accessOnce({ datasets: [{ document, connector }], policy }, [{ email: 'a@x' }])
    expect([rows['db:note'], rows['db:offer']]).toEqual([[{ text: 'her note' }], [{ text: 'her offer' }]])
  })
})
