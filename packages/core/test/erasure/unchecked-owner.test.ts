import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, plain, shopWorld, tableWith } from './described-erasure.js'

const ann = { email: 'ann@example.com' }
const accounts = (meta: Readonly<Record<string, unknown>>, employee: object) =>
  shopWorld({
    database: {
      employee: tableWith({ id: 'integer', email: 'string', badge: 'string' }, [[7, 'ben@example.com', 'B7']]),
      account: tableWith(
        { id: 'integer', email: 'string', employee_id: 'integer', name: 'string' },
        [[1, ann.email, 7, 'Ben']],
        { uniqueKeys: [['email']] },
      ),
    },
    collections: [
      collection('employee', [key, employee], meta),
      collection('account', [
        key,
        plain('email', { identity: 'email' }),
        from('employee_id', 'employee.id'),
        field('name'),
      ]),
    ],
  })

test.each([
  ['is skipped', { skip_processing: true }, plain('email', { identity: 'email' })],
  ['is known by what the request lacks', {}, plain('badge', { identity: 'badge' })],
])('a unique address does not outweigh an owner whose collection %s', async (_, meta, employee) => {
  await using world = await accounts(meta, employee)
  const { id } = await world.privacy.requests.submit({
    policyKey: 'erase',
    identities: [ann],
    acceptUnsearched: true,
  })
  const paused = await world.paused(id)
  expect([paused.status, paused.actionRequired?.accept]).toEqual(['paused', { acceptUndecided: [expect.any(String)] }])
  expect(world.rows()).toEqual(world.before)
})
