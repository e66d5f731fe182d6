import { expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { foreignKey, key, plain, shopWorld, tableWith } from './described-erasure.js'

const ann = { email: 'ann@example.com' }
const leads = (name: string, to: string, direction?: string) =>
  plain(name, { references: [{ dataset: 'shop', field: to, ...(direction && { direction }) }] })

const world = () =>
  shopWorld({
    database: {
      customer: tableWith({ id: 'integer', email: 'string', pinned_id: 'integer' }, [
        [1, ann.email, 1],
        [2, 'bob@example.com', 1],
      ]),
      message: tableWith(
        { id: 'integer', sender_id: 'integer', recipient_id: 'integer', note: 'string' },
        [
          [1, 1, 2, 'to Bob'],
          [2, 1, 1, 'to herself'],
        ],
        { foreignKeys: [foreignKey('sender_id', 'customer', 'cascade')] },
      ),
    },
    collections: [
      collection('customer', [key, plain('email', { identity: 'email' }), leads('pinned_id', 'message.id')]),
      collection('message', [
        ...[key, leads('sender_id', 'customer.id'), leads('recipient_id', 'customer.id', 'from')],
        field('note'),
      ]),
    ],
  })

test('a row that one open reference leaves to its owner is counted for another', async () => {
  await using given = await world()
  const { id } = await given.privacy.requests.submit({ policyKey: 'erase', identities: [ann] })
  const paused = await given.paused(id)
  expect([paused.status, paused.actionRequired?.accept]).toEqual([
    'paused',
    { acceptUndecided: ['shop:message.sender_id'] },
  ])
  const undecided = paused.results?.flatMap((result) => result.undecided ?? [])
  expect(undecided).toMatchObject([{ reference: 'shop:message.sender_id', rowCount: 1 }])
  expect(given.rows()).toEqual(given.before)
})
