import { expect, it } from 'vitest'
import { collection, field, id, shopOf, table } from '../engine/described.js'
import { openService } from '../engine/service-run.js'

/* What a row of the person holds about somebody else. */

const policy = (...erased: string[]) => ({
  service_key: 'both',
  rules: [
    {
      service_key: 'read',
      action_type: 'access',
      data_categories: { matches: 'ANY', values: ['user'] },
    },
    {
      service_key: 'erase',
      action_type: 'erasure',
      data_categories: { matches: 'ANY', values: erased },
      masking_strategy: { strategy: 'null_rewrite' },
    },
  ],
})

const row = [1, 'ann@example.com', 'Ben', 'Cleo', 'Dan']

it.each([
  ['and erased by a rule that names its category', ['user', 'third_party'], [null, null, 'Dan']],
  ['and left where no rule names its category', ['user'], [null, 'Cleo', 'Dan']],
])('is delivered where it has a category of the person, %s', async (_, erased, [note, spouse, friend]) => {
  const columns = {
    id: 'integer',
    email: 'string',
    note: 'string',
    spouse_name: 'string',
    friend_name: 'string',
  } as const
  const people = table(columns, [row as never])
  const fields = [
    id,
    field('email', { identity: 'email' }, []),
    field('note'),
    field('spouse_name', {}, ['third_party']),
    field('friend_name', { reviewed: true }, []),
  ]
  const service = await openService([shopOf([collection('person', fields)], { person: people })], {
    policy: policy(...erased),
  })
  await service.privacy.connections.put({ key: 'shop', connectionType: 'memory_shop', access: 'write' })
  await service.privacy.dataCategories.put({ service_key: 'third_party', name: 'Data of others' })
  const { rows } = await service.access({ email: 'ann@example.com' })
  await service.privacy.close()
  expect(rows['shop:person']).toEqual([{ id: 1, note: 'Ben' }])
  expect(people.rows).toEqual([{ id: 1, email: 'ann@example.com', note, spouse_name: spouse, friend_name: friend }])
})
