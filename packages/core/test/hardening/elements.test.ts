import { memoryConnector } from '@habeas/testkit'
import { expect, it } from 'vitest'
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
