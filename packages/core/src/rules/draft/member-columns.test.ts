import { describe, expect, it } from 'vitest'
import type { Column } from '../../model/catalogue.js'
import { parseDataset } from '../../model/dataset.js'
import { applyProposals } from './apply-proposals.js'
import { draftDataset } from './draft-dataset.js'

const column = (name: string, more: Partial<Column> = {}): Column => ({ name, type: '', nullable: true, ...more })
const text = (name: string) => column(name, { kind: 'string' })
const collection = (name: string, columns: Column[]) => ({
  ...{ name, columns: [column('_id', { kind: 'object_id', nullable: false }), ...columns], primaryKey: ['_id'] },
  ...{ uniqueKeys: [], foreignKeys: [], indexes: [], schemaless: true },
})

/** Accounts of people. */
const draft = draftDataset(
  {
    collections: [
      collection('users', [
        column('contact', { kind: 'object', members: [text('email'), text('city'), text('a.b'), text('')] }),
        text(''),
        column('devices', { kind: 'object', array: true, members: [text('label'), text('ip_address')] }),
      ]),
    ],
  },
  { key: 'shop' },
)

describe('members that a catalogue knows', () => {
  it('are described as fields of their object', () => {
    expect(draft.dataset.collections[0]?.fields.slice(1)).toMatchObject([
      { name: 'contact', service_meta: { data_type: 'object' }, fields: [{ name: 'email' }, { name: 'city' }] },
      { name: 'devices', service_meta: { data_type: 'object[]' }, fields: [{ name: 'label' }, { name: 'ip_address' }] },
    ])
  })

  it('have lists only where no row of a sample holds an object in place of one', () => {
    const both = column('by', { kind: 'object', array: true, orObject: true, members: [text('email')] })
    const { dataset } = draftDataset({ collections: [collection('log', [both])] }, { key: 'shop' })
    expect(dataset.collections[0]?.fields[1]).toMatchObject({ name: 'by', service_meta: { data_type: 'object' } })
  })

  it('get proposals under their dotted names, which are applied to them', () => {
    const ids = draft.proposals.map(({ id }) => id)
    expect(ids).toEqual(
      expect.arrayContaining([
        'users.contact.email:category',
        'users.contact.city:category',
        'users.contact.email:identity',
        'users.devices.ip_address:category',
      ]),
    )
    expect(ids.filter((id) => id.includes('a.b'))).toEqual([])
    const isIdentity = ({ kind }: { kind: string }) => kind === 'identity'
    const [users] = applyProposals(draft.dataset, draft.proposals, { accept: isIdentity }).collections
    expect(users?.fields[1]?.fields).toMatchObject([
      { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email' } },
      { name: 'city', data_categories: ['user.contact.address.city'] },
    ])
    expect(users?.fields[2]?.fields[1]).toMatchObject({ data_categories: [expect.stringMatching(/^user\./)] })
  })
})

it('an identity on a list says what has to be decided of the other values in it', () => {
  const list = column('emails', { kind: 'string', array: true })
  const nested = column('mails', { kind: 'object', array: true, members: [text('email')] })
  const { proposals } = draftDataset(
    { collections: [collection('users', [list, nested, text('email')])] },
    { key: 'shop' },
  )
  const told = proposals.flatMap(({ id, kind, reason }) => (kind === 'identity' ? [[id, reason]] : []))
  expect(Object.fromEntries(told)).toMatchObject({
    'users.emails:identity': expect.stringMatching(
      /Beside the identity, 'reviewed: true' says that the list also names others, .* Without the identity, 'reviewed: true' says that it names nobody but the row's person, who then gets all of it/,
    ),
    'users.mails.email:identity': expect.stringMatching(/It is a list/),
    'users.email:identity': expect.not.stringMatching(/list/),
  })
})

it('members are described as a whole where they lie deeper than a dataset has room for', () => {
  const deep = Array.from({ length: 90 }).reduce<Column>(
    (inner) => column('x', { kind: 'object', array: true, members: [inner] }),
    text('email'),
  )
  const { dataset, proposals } = draftDataset({ collections: [collection('users', [deep])] }, { key: 'shop' })
  expect(() => parseDataset(dataset)).not.toThrow()
  expect(() => parseDataset(applyProposals(dataset, proposals, { accept: () => true }))).not.toThrow()
})
