import { describe, expect, it } from 'vitest'
import { isPrivacyError } from '../../errors.js'
import { type Dataset, type DatasetInput, parseDataset } from '../../model/dataset.js'
import type { Proposal } from '../../model/proposal.js'
import { applyProposals } from './apply-proposals.js'

const draft = (): DatasetInput => ({
  service_key: 'shop',
  name: 'shop',
  collections: [
    { name: 'customer', fields: [{ name: 'email' }, { name: 'city' }] },
    {
      name: 'orders',
      fields: [
        { name: 'customer_id', service_meta: { references: [{ dataset: 'shop', field: 'customer.id' }] } },
        { name: 'staff_id', service_meta: { references: [{ dataset: 'shop', field: 'staff.id' }] } },
        { name: 'year', service_meta: { references: [{ dataset: 'shop', field: 'book.year', group: 'in_book' }] } },
        { name: 'page', service_meta: { references: [{ dataset: 'shop', field: 'book.page', group: 'in_book' }] } },
        { name: 'owner_id' },
      ],
    },
    { name: 'team', fields: [] },
    { name: 'totals', fields: [] },
  ],
})

const of = <Kind extends Proposal['kind']>(
  kind: Kind,
  collection: string,
  more: Omit<Extract<Proposal, { kind: Kind }>, 'id' | 'kind' | 'collection' | 'confidence' | 'reason'>,
  confidence = 0.9,
) => {
  const what = { ...more } as { field?: string; direction?: string }
  const id = `${[collection, ...(what.field ? [what.field] : [])].join('.')}:${what.direction ?? kind}`
  return { id, kind, collection, confidence, reason: '', ...more } as unknown as Proposal
}

const customer = { dataset: 'shop', field: 'customer.id' }
const proposals: readonly Proposal[] = [
  of('skip', 'totals', {}),
  of('category', 'customer', { field: 'email', category: 'user.contact.email' }),
  of('category', 'customer', { field: 'city', category: 'user.contact.address.city' }, 0.7),
  of('identity', 'customer', { field: 'email', identity: 'email' }, 0.99),
  of('placeholders', 'customer', { field: 'email', placeholders: ['N/A', '-'] }),
  of('reference', 'orders', { field: 'owner_id', references: { ...customer, when: { owner_type: 'Customer' } } }, 0.99),
  of('direction', 'orders', { field: 'customer_id', references: customer, direction: 'from' }, 0.99),
  of('direction', 'orders', {
    field: 'staff_id',
    references: { dataset: 'shop', field: 'staff.id' },
    direction: 'none',
  }),
  of('direction', 'orders', {
    field: 'year',
    references: { dataset: 'shop', field: 'book.year', group: 'in_book' },
    direction: 'none',
  }),
  of('direction', 'orders', {
    field: 'owner_id',
    references: { ...customer, when: { owner_type: 'Customer' } },
    direction: 'from',
  }),
  of('owner', 'team', { owner: [] }),
  of('owner', 'orders', { owner: ['customer_id'] }, 0.99),
]

const asRead = (dataset: DatasetInput): Dataset => parseDataset(dataset).value

/** The settings by `collection.field`, or `collection`. */
function said(dataset: DatasetInput) {
  const { collections } = asRead(dataset)
  return (place: string) => {
    const [collection, field] = place.split('.')
    const found = collections.find(({ name }) => name === collection)!
    return field === undefined ? found : found.fields.find(({ name }) => name === field)!
  }
}

describe('applyProposals', () => {
  it('applies only proposals that give no row an owner, where they are sure enough', () => {
    const result = said(applyProposals(draft(), proposals))
    expect(result('customer.email')).toMatchObject({
      data_categories: ['user.contact.email'],
      service_meta: { placeholders: ['N/A', '-'] },
    })
    expect(result('customer.email').service_meta).not.toHaveProperty('identity')
    expect(result('customer.city').data_categories).toEqual([])
    expect(result('orders.staff_id')).toMatchObject({ service_meta: { references: [{ direction: 'none' }] } })
    expect(result('orders.customer_id')).toMatchObject({ service_meta: { references: [customer] } })
    expect(JSON.stringify(result('orders.customer_id'))).not.toContain('direction')
    expect(result('orders.owner_id')).toMatchObject({ service_meta: { references: [] } })
    expect(result('team')).toMatchObject({ service_meta: { owner: [] } })
    expect(result('orders').service_meta).not.toHaveProperty('owner')
    expect(result('totals')).toMatchObject({ service_meta: { skip_processing: true } })
  })

  it('gives all parts of a group one direction', () => {
    const result = said(applyProposals(draft(), proposals))
    for (const part of ['orders.year', 'orders.page'])
      expect(result(part)).toMatchObject({ service_meta: { references: [{ group: 'in_book', direction: 'none' }] } })
  })

  it('takes another lowest confidence', () => {
    expect(said(applyProposals(draft(), proposals, { atLeast: 0.7 }))('customer.city').data_categories).toHaveLength(1)
    expect(applyProposals(draft(), proposals, { atLeast: 1 })).toEqual(asRead(draft()))
  })

  it('applies other proposals by id, a direction together with its reference', () => {
    const accept = [
      'customer.email:identity',
      'customer.city:category',
      'orders.customer_id:from',
      'orders.owner_id:from',
    ]
    const result = said(applyProposals(draft(), proposals, { accept: [...accept, 'orders:owner'] }))
    expect(result('customer.email')).toMatchObject({ service_meta: { identity: 'email' } })
    expect(result('customer.city').data_categories).toEqual(['user.contact.address.city'])
    expect(result('orders.customer_id')).toMatchObject({ service_meta: { references: [{ direction: 'from' }] } })
    expect(result('orders.owner_id')).toMatchObject({
      service_meta: { references: [{ ...customer, direction: 'from', when: { owner_type: 'Customer' } }] },
    })
    expect(result('orders')).toMatchObject({ service_meta: { owner: ['customer_id'] } })
  })

  it('adds an accepted reference once, together with other accepted proposals for it', () => {
    const result = said(
      applyProposals(draft(), proposals, { accept: (each) => 'field' in each && each.field === 'owner_id' }),
    )
    expect(result('orders.owner_id')).toMatchObject({ service_meta: { references: [{ direction: 'from' }] } })
  })

  it('marks refused fields as reviewed, and does not ask again', () => {
    const refused = applyProposals(draft(), proposals, { refuse: ['customer.email:category', 'totals:skip'] })
    const result = said(refused)
    expect(result('customer.email')).toMatchObject({ data_categories: [], service_meta: { reviewed: true } })
    expect(result('totals')).toMatchObject({ service_meta: { skip_processing: false } })
    expect(applyProposals(refused, proposals, { refuse: ['totals:skip'] })).toEqual(refused)
  })

  describe('an owner that is a field of the row itself', () => {
    const fields = [
      { name: 'customer_id', service_meta: { references: [customer] } },
      { name: 'email', data_categories: ['user.contact.email'] },
    ]
    const guests = { service_key: 'shop', collections: [{ name: 'orders', fields }] }
    const owner = of('owner', 'orders', { owner: ['customer_id', 'email'] }, 0.6)
    const both = [owner, of('identity', 'orders', { field: 'email', identity: 'email' }, 0.7)]

    it('is accepted together with its identity, without which it says nothing', () => {
      const result = said(applyProposals(guests, both, { accept: ['orders:owner'] }))
      expect(result('orders').service_meta).toMatchObject({ owner: ['customer_id', 'email'] })
      expect(result('orders.email').service_meta).toMatchObject({ identity: 'email' })
      expect(said(applyProposals(guests, both))('orders.email').service_meta).not.toHaveProperty('identity')
    })

    it('is refused for good: the field is reviewed, and its reference stays open', () => {
      const result = said(applyProposals(guests, [owner], { refuse: ['orders:owner'] }))
      expect(result('orders').service_meta).not.toHaveProperty('owner')
      expect(result('orders.email').service_meta).toMatchObject({ reviewed: true })
      expect(result('orders.customer_id').service_meta).toMatchObject({ reviewed: false, references: [customer] })
    })
  })

  it('keeps the settings of the dataset, and leaves the given dataset unchanged', () => {
    const dataset = asRead(draft())
    dataset.collections[0]!.fields[0]!.data_categories = ['user.workplace']
    dataset.collections[1]!.fields[1]!.service_meta.references[0]!.direction = 'from'
    dataset.collections[2]!.service_meta.owner = ['boss_id']
    dataset.collections[3]!.service_meta.skip_processing = false
    const before = structuredClone(dataset)
    expect(applyProposals(dataset, proposals)).toMatchObject({
      collections: [
        { fields: [{ data_categories: ['user.workplace'] }, {}] },
        { fields: [{}, { service_meta: { references: [{ direction: 'from' }] } }, {}, {}, {}] },
        { service_meta: { owner: ['boss_id'] } },
        { service_meta: { skip_processing: false } },
      ],
    })
    expect(dataset).toEqual(before)
  })

  it('refuses an unknown proposal id and names the nearest, and an id whose place is gone', () => {
    const refusal = (accept: string[], dataset = asRead(draft())) => {
      try {
        applyProposals(dataset, proposals, { accept })
      } catch (error) {
        return isPrivacyError(error, 'invalid_input') ? error.message : error
      }
      return undefined
    }
    expect(refusal(['customer.email:identify'])).toContain("'customer.email:identity'")
    const shorter = asRead(draft())
    shorter.collections[0]!.fields.shift()
    expect(refusal(['customer.email:identity'], shorter)).toContain('no longer')
    expect(() => applyProposals(shorter, proposals)).not.toThrow()
  })

  it.each<[string, unknown[], string]>([
    [
      'a typo in an option',
      [draft(), proposals, { acept: [] }],
      "acept is not known here: the nearest known name is 'accept'",
    ],
    ['one id in place of a list', [draft(), proposals, { accept: 'customer.email:identity' }], 'a list of ids'],
    ['an invalid confidence', [draft(), proposals, { atLeast: 80 }], 'atLeast must be at most 1'],
    ['invalid options', [draft(), proposals, ['customer.email:identity']], 'an object with atLeast'],
    ['no proposals', [draft()], 'applyProposals(draft.dataset, draft.proposals)'],
    ['options in their place', [draft(), { accept: [] }], 'applyProposals(draft.dataset, draft.proposals)'],
    ['an invalid proposal', [draft(), [{ id: 'x', kind: 'owner', collection: 'team' }]], '[0].confidence'],
    ['the whole draft', [{ dataset: draft(), proposals }, proposals], 'not the whole draft'],
    ['no dataset', [undefined, proposals], 'must be the dataset of a draft'],
    ['an invalid dataset', [{ ...draft(), collections: [{ fields: {} }] }, proposals], 'collections[0].'],
  ])('refuses %s and says what to do', (_, given, message) => {
    try {
      applyProposals(...(given as Parameters<typeof applyProposals>))
      expect.unreachable()
    } catch (error) {
      expect([isPrivacyError(error, 'invalid_input'), (error as Error).message]).toEqual([
        true,
        expect.stringContaining(message),
      ])
    }
  })
})
