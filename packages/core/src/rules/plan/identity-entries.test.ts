import { describe, expect, it } from 'vitest'
import {
  collection,
  field,
  from,
  graphOf,
  key,
  live,
  references,
  undirected,
} from '../../../test/fixtures/planned-shop.js'
import { type IdentityOptions, identityEntries } from './identity-entries.js'

const email = field('email', { identity: 'email' })
const phone = field('phone', { identity: 'phone' })
const ssn = field('ssn', { identity: 'ssn' })
const account = collection('account', [email, phone])
const calls = collection('calls', [field('number', { identity: 'phone' })])
const letters = collection('letters', [field('to', { identity: 'email' }), field('cc', { identity: 'email' })])
const files = collection('files', [ssn])

type Objects = readonly (readonly string[])[]

function told(
  collections: unknown[],
  objects: Objects,
  options: IdentityOptions = {},
  more: Parameters<typeof graphOf>[0]['more'] = [],
) {
  const found = identityEntries(graphOf({ collections, more }), objects, options)
  return {
    ...found,
    /** Field, object and property, with a question mark where a row must confirm it first. */
    ways: Object.fromEntries(
      [...found.entries].map(([address, all]) => [
        address.slice(5),
        all.map(
          ({ field: name, object, property, needsConfirmation }) =>
            `${name} ${object}.${property}${needsConfirmation ? '?' : ''}`,
        ),
      ]),
    ),
    open: found.objects.map(({ unconfirmable }) => unconfirmable),
  }
}

describe('identities of a request', () => {
  it.each<[string, unknown[], Objects, Record<string, string[]>]>([
    ['an object of one property needs no confirmation', [account, calls], [['email']], { account: ['email 0.email'] }],
    [
      'objects are alternatives',
      [account, calls],
      [['email'], ['phone']],
      { account: ['email 0.email', 'phone 1.phone'], calls: ['number 1.phone'] },
    ],
    [
      'a collection that declares all properties of an object judges its rows by itself',
      [account],
      [['email', 'phone']],
      { account: ['email 0.email', 'phone 0.phone'] },
    ],
    [
      'one that declares only some of them is entered after confirmation',
      [account, calls, letters],
      [['email', 'phone']],
      {
        account: ['email 0.email', 'phone 0.phone'],
        calls: ['number 0.phone?'],
        letters: ['to 0.email?', 'cc 0.email?'],
      },
    ],
    [
      'three properties are confirmed two by two',
      [account, collection('member', [phone, ssn]), files],
      [['email', 'phone', 'ssn']],
      {
        account: ['email 0.email?', 'phone 0.phone?'],
        member: ['phone 0.phone?', 'ssn 0.ssn?'],
        files: ['ssn 0.ssn?'],
      },
    ],
    [
      'a property without a confirming collection enters nothing',
      [account, files],
      [['email', 'phone', 'ssn']],
      { account: ['email 0.email?', 'phone 0.phone?'] },
    ],
    ['an object without a confirming collection enters nothing', [calls, letters], [['email', 'phone']], {}],
    [
      'an object with a property that no dataset declares enters nothing',
      [account, calls],
      [['email', 'phone', 'shoe_size']],
      {},
    ],
    [
      'an object that enters nothing does not affect another',
      [calls, letters],
      [['email', 'phone'], ['email']],
      { letters: ['to 1.email', 'cc 1.email'] },
    ],
  ])('%s', (_, collections, objects, ways) => {
    expect(told(collections, objects).ways).toEqual(ways)
  })

  it('names the properties without confirmation, and the collections that hold them', () => {
    const { open, objects, unconfirmed } = told([account, files], [['email', 'phone', 'ssn']])
    expect(open).toEqual([['ssn']])
    expect(objects[0]?.confirmers).toEqual(['shop:account'])
    expect([...unconfirmed]).toEqual(['shop:files'])
    expect(told([account, calls], [['email', 'phone', 'shoe_size']])).toMatchObject({ open: [['shoe_size']] })
    expect([...told([calls, letters], [['email', 'phone'], ['email']]).unconfirmed]).toEqual(['shop:calls'])
  })

  it('a collection that is not searched confirms nothing', () => {
    const skipped = collection('account', [email, phone], { skip_processing: true })
    expect(told([skipped, calls, letters], [['email', 'phone']])).toMatchObject({
      ways: {},
      open: [['email', 'phone']],
    })
  })

  it('without a connection there is nothing to confirm', () => {
    const loose = { key: 'loose', collections: [calls] }
    const off = { key: 'off', collections: [calls, letters], connection: { key: 'off', disabled: true } }
    expect(told([], [['email', 'phone']], {}, [loose, off])).toMatchObject({ open: [[]], findings: [] })
    const graph = { nodes: new Map(), edges: [], findings: [] }
    expect(identityEntries(graph, [['email', 'phone']])).toMatchObject({
      objects: [{ unconfirmable: [] }],
      findings: [],
    })
  })

  it('an unproven property enters nothing by itself', () => {
    const { ways, unproven } = told([account, calls, letters], [['email', 'phone']], { proven: ['email'] })
    expect(ways).toEqual({ account: ['email 0.email'], letters: ['to 0.email?', 'cc 0.email?'] })
    expect([...unproven]).toEqual(['shop:calls'])
  })

  it('a derived property needs no confirmation, nor does the only other one', () => {
    const { ways, open } = told([letters, calls], [['email', 'phone']], { derived: ['phone'] })
    expect(ways).toEqual({ letters: ['to 0.email', 'cc 0.email'], calls: ['number 0.phone'] })
    expect(open).toEqual([[]])
    // The given properties must still be confirmed together.
    const more = told([letters, calls, files], [['email', 'ssn', 'phone']], { derived: ['phone'] })
    expect(more).toMatchObject({ ways: {}, open: [['email', 'ssn']] })
    const confirmed = told([letters, calls, collection('both', [email, ssn])], [['email', 'ssn', 'phone']], {
      derived: ['phone'],
    })
    expect(confirmed.ways).toEqual({
      letters: ['to 0.email?', 'cc 0.email?'],
      calls: ['number 0.phone'],
      both: ['email 0.email?', 'ssn 0.ssn?'],
    })
    expect(told([letters], [['email', 'nick']], { derived: ['nick'] }).ways).toEqual({
      letters: ['to 0.email', 'cc 0.email'],
    })
  })

  it('the fields of every property are known, whether or not the request has it', () => {
    const { fields } = told([account, letters], [['email']])
    expect([...fields].map(([address, all]) => [address, [...all]])).toEqual([
      [
        'shop:account',
        [
          ['email', ['email']],
          ['phone', ['phone']],
        ],
      ],
      ['shop:letters', [['email', ['to', 'cc']]]],
    ])
  })
})

describe('identities that no dataset declares', () => {
  const lead = collection('lead', [field('mail', {}, ['user.contact.email']), field('phone_number')])

  it.each<[string, string[], Record<string, string[]>]>([
    ['by the category that is tied to the property', ['email'], { lead: ['mail 0.email'] }],
    ['by the name of a field', ['phone_number'], { lead: ['phone_number 0.phone_number'] }],
  ])('are inferred %s', (_, object, ways) => {
    const found = told([lead], [object])
    expect(found.ways).toEqual(ways)
    expect(found.findings.map(({ type }) => type)).toEqual(['identity_inferred'])
    expect(told([lead], [object], { inferIdentities: false }).ways).toEqual({})
  })

  it('find undecided rows and judge nothing where they may be another person’s', () => {
    const phone = (name: string) => field(name, {}, ['user.contact.phone_number'])
    const tables = [
      collection('customer', [key(), phone('customer_phone')]),
      collection('shipment', [key(), phone('driver_phone')]),
      collection('delivery', [key(), phone('phone'), from('customer_id', 'customer.id')]),
      collection('visit', [key(), phone('phone'), field('customer')], { owner: ['customer'] }),
    ]
    const { entries, fields, findings } = told(tables, [['phone_number']])
    expect([...fields.keys()]).toEqual(['shop:customer'])
    const doubted = [...entries.values()].flat().map((each) => `${each.field} ${each.doubted === true}`)
    expect(doubted).toEqual(['customer_phone false', 'driver_phone true', 'phone true', 'phone true'])
    const doubts = findings.filter(({ type }) => type === 'identity_doubted').map(({ message }) => message)
    expect(doubts).toMatchObject([
      expect.stringMatching(
        /'driver_phone' is named like a field of another person.* Declare 'identity: phone_number' if .*, or say 'reviewed: true' on it if it does not\.$/,
      ),
      expect.stringContaining("'customer_id' says who owns"),
      expect.stringContaining("'owner' says who owns"),
    ])
  })

  it.each(['driver_phone', 'phone_number'])('are not looked for in a field that is reviewed: %s', (name) => {
    const phone = field(name, { reviewed: true }, ['user.contact.phone_number'])
    const { ways, findings } = told([collection('shipment', [key(), phone])], [['phone_number']])
    expect([ways, findings.map(({ type }) => type)]).toEqual([{}, ['no_known_identity']])
  })

  it('are not inferred in a skipped collection', () => {
    const people = collection('people', [field('email')])
    const view = collection('view', [field('email')], { skip_processing: true })
    expect(told([people, view], [['email']]).findings.map(({ loc }) => loc[1])).toEqual(['people'])
  })

  describe('where a dataset declares the property, other fields that may hold it', () => {
    const mail = ['user.contact.email']
    const customer = collection('customer', [key(), email, field('work_email', {}, mail)])
    const guest = (meta: Record<string, unknown> = {}) => field('email', { ...meta }, mail)
    const named = (
      fields: unknown[],
      { of = {}, filled = false }: { of?: Record<string, unknown>; filled?: boolean } = {},
    ) => {
      const columns = ['id', 'email', 'customer_id']
      const table = live('orders', columns)
      const given = table.columns.map((column) => ({ ...column, nullable: !filled }))
      const catalogue = { collections: [live('customer', ['id', 'email', 'work_email']), { ...table, columns: given }] }
      const collections = [customer, collection('orders', [key(), ...fields], of)]
      const { findings } = identityEntries(graphOf({ collections, catalogue }), [['email']], {})
      return findings.flatMap(({ type, loc }) => (type === 'undeclared_identity' ? [loc.join('.')] : []))
    }

    it('are named, since rows that only they name are not found', () => {
      expect(named([guest()])).toEqual(['shop.orders.email'])
      expect(named([guest(), from('customer_id', 'customer.id')])).toEqual(['shop.orders.email'])
    })

    it('are named where each row refers to something else', () => {
      expect(named([guest(), undirected('customer_id', 'orders.id')], { filled: true })).toEqual(['shop.orders.email'])
      expect(named([guest(), references('customer_id', 'customer.id', 'none')], { filled: true })).toEqual([
        'shop.orders.email',
      ])
    })

    it('are not where somebody has looked, where each row has an owner, or where its rows are nobody’s', () => {
      expect(named([guest({ reviewed: true })])).toEqual([])
      expect(named([guest({ identity: 'email' })])).toEqual([])
      expect(named([guest(), from('customer_id', 'customer.id')], { filled: true })).toEqual([])
      expect(named([guest()], { of: { owner: [] } })).toEqual([])
      expect(named([guest()], { of: { skip_processing: true } })).toEqual([])
    })
  })

  it('are not inferred where one dataset declares the property', () => {
    expect(told([lead, letters], [['email']]).ways).toEqual({ letters: ['to 0.email', 'cc 0.email'] })
  })

  it('are not inferred for a name of the language, nor from a field with members', () => {
    const inner = { name: 'email', fields: [field('old')] }
    expect(told([collection('a', [inner])], [['email']]).ways).toEqual({})
    expect(told([lead], [['constructor']]).ways).toEqual({})
  })

  it('that no dataset knows are an error with the known ones, or a warning besides a known one', () => {
    const none = told([letters], [['shoe_size']])
    expect(none.findings).toMatchObject([{ type: 'no_known_identity', severity: 'error' }])
    expect(none.findings[0]?.message).toContain('the datasets know email')
    expect(told([letters], [['email'], ['shoe_size']]).findings).toMatchObject([
      { type: 'unknown_identity', severity: 'warning' },
    ])
  })

  it('that no dataset knows are told with the nearest known one', () => {
    const messageOf = (properties: string[][]) => told([letters], properties).findings[0]?.message
    const named = "No dataset knows the identity 'emial' (the nearest known name is 'email')"
    expect(messageOf([['emial']])).toContain(`${named}: the datasets know email.`)
    expect(messageOf([['email'], ['emial']])).toBe(`${named}, so it finds nothing.`)
  })
})
