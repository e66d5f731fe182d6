import { expect, it } from 'vitest'
import { collection, field, from, key, references } from '../../../test/fixtures/planned-shop.js'
import { atOnce } from '../../model/at-once.js'
import { parseDataset } from '../../model/dataset.js'
import { datasetNotices } from './dataset-notices.js'

it('an unreachable collection is advised to name its own person before the rows that refer to it', () => {
  const collections = [
    collection('people', [key(), field('email', { identity: 'email' })]),
    collection('chats', [key(), references('opened_by', 'people.id', 'none')]),
    collection('lines', [key(), from('person_id', 'people.id'), from('chat_id', 'chats.id')]),
  ]
  const dataset = parseDataset({ service_key: 'shop', collections }).value
  const known = {
    dataCategory: new Set(['user', 'user.name', 'user.contact.email']),
    dataUse: new Set<string>(),
    dataSubject: new Set<string>(),
    dataQualifier: new Set<string>(),
    dataset: new Set(['shop']),
    system: new Set(['web']),
    organization: new Set(['default_organization']),
    registry: new Set<string>(),
  }
  const { findings } = atOnce(
    datasetNotices({
      described: [{ dataset }],
      systems: [],
      inferIdentities: true,
      known,
    }),
  )('shop')
  const found = findings.filter(({ type }) => type === 'unreachable_collection')
  expect(found.map(({ message }) => message)).toEqual([
    expect.stringContaining(
      "anything there: 'shop:chats.opened_by' says 'none': if it names the owner of the row, say 'from'; or with the direction 'to', 'shop:lines.chat_id' would let email reach it, but then each of its rows belongs to everybody whose rows refer to it.",
    ),
  ])
})
