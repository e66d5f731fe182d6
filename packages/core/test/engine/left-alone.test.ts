import { describe, expect, it } from 'vitest'
import { collection, field, filled, id, refer, type Said, shopOf, table, undirected } from './described.js'
import { accessTo, email, name } from './whose-access.js'

const ann = { email: 'ann@example.com' }
const people = collection('person', [id, name, email])
const persons = table({ id: 'integer', name: 'string', email: 'string' }, [
  [1, 'Ann', 'ann@example.com'],
  [2, 'Ben', 'ben@example.com'],
  [3, 'Cem', 'cem@example.com'],
])

describe("a message's other party", () => {
  const described = (sender: object, recipient: object) =>
    shopOf([people, collection('message', [id, sender, recipient, field('body')])], {
      person: persons,
      message: filled(
        table({ id: 'integer', sender_id: 'integer', recipient_id: 'integer', body: 'string' }, [
          [10, 1, 2, 'from Ann'],
          [11, 2, 1, 'to Ann'],
          [12, 2, 3, 'of others'],
        ]),
        'sender_id',
        'recipient_id',
      ),
    })
  const sender = (direction: Said) => undirected('sender_id', 'person.id', direction)
  const recipient = (direction: Said) => undirected('recipient_id', 'person.id', direction)

  it('is never delivered, and neither are messages while nobody says whose they are', async () => {
    const { got, undecided } = await accessTo([described(sender({}), recipient({}))], ann)
    expect(got).toEqual({ person: [1] })
    expect(undecided).toEqual({ 'shop:message.recipient_id': 1, 'shop:message.sender_id': 1 })
  })

  it("does not come with the messages that are both people's", async () => {
    const [from, to] = [sender({ direction: 'from' }), recipient({ direction: 'from' })]
    const { got, undecided } = await accessTo([described(from, to)], ann)
    expect(got).toEqual({ message: [10, 11], person: [1] })
    expect(undecided).toEqual({})
  })

  it('keeps what they sent where the sender owns a message', async () => {
    const [from, none] = [sender({ direction: 'from' }), recipient({ direction: 'none' })]
    expect((await accessTo([described(from, none)], ann)).got).toEqual({ message: [10], person: [1] })
    const open = await accessTo([described(from, recipient({}))], ann)
    expect(open.got).toEqual({ message: [10], person: [1] })
    expect(open.undecided).toEqual({ 'shop:message.recipient_id': 1 })
  })
})

describe('a referred guest without e-mail', () => {
  const described = (direction: Said) =>
    shopOf([collection('guest', [id, name, email, undirected('referred_by', 'guest.id', direction)])], {
      guest: {
        ...table({ id: 'integer', name: 'string', email: 'string', referred_by: 'integer' }, [
          [1, 'Ann', 'ann@example.com', 3],
          [2, 'Ben', null, 1],
          [3, 'Cem', null, null],
          [4, 'Dan', 'dan@example.com', 1],
        ]),
        indexes: [['referred_by']],
      },
    })

  it('gets neither those they referred nor who referred them, and both are counted while that is open', async () => {
    const { got, undecided } = await accessTo([described({})], ann)
    expect(got).toEqual({ guest: [1] })
    expect(undecided).toEqual({ 'shop:guest.referred_by': 3 })
  })

  it("is somebody else's once the reference says 'none'", async () => {
    const { request, got } = await accessTo([described({ direction: 'none' })], ann)
    expect(got).toEqual({ guest: [1] })
    expect(request.incomplete).toBeUndefined()
  })
})

describe('an identity of two properties', () => {
  it('pauses where no dataset declares one of them, and delivers nothing until that is accepted', async () => {
    const shop = shopOf([people], { person: persons })
    const identity = { ...ann, mobile: '555' }
    const paused = await accessTo([shop], identity)
    expect(paused.request.status).toBe('paused')
    expect(paused.request.packages).toBeUndefined()
    expect(paused.asked?.message).toContain("'mobile'")
    expect(shop.connector.calls.some(({ operation }) => operation === 'read')).toBe(false)
    const acceptUnconfirmed = paused.asked?.accept?.acceptUnconfirmed as string[]
    const { request } = await accessTo([shop], identity, { accept: { acceptUnconfirmed } })
    expect(request).toMatchObject({ status: 'complete', incomplete: true, unconfirmed: acceptUnconfirmed })
  })

  it('pauses where two collections hold one property each, since nobody knows whether they are one person', async () => {
    const club = collection('club', [field('member_no', { identity: 'member_no', primary_key: true }), field('points')])
    const shop = shopOf([people, club], {
      person: persons,
      club: table({ member_no: 'integer', points: 'string' }, [[7, "somebody else's"]]),
    })
    const { request, asked, got } = await accessTo([shop], { ...ann, member_no: 7 })
    expect(request.status).toBe('paused')
    expect(asked?.accept).toEqual({ acceptUnconfirmed: ['email', 'member_no'] })
    expect(got).toEqual({})
    expect(shop.connector.calls.some(({ operation }) => operation === 'read')).toBe(false)
  })

  it('is confirmed by a collection that no rule asks for', async () => {
    const silent = (name: string, identity: string) => field(name, { identity }, [])
    const shop = shopOf(
      [
        collection('person', [
          field('id', { primary_key: true }, []),
          silent('email', 'email'),
          silent('phone', 'phone_number'),
        ]),
        collection('call', [id, field('phone', { identity: 'phone_number' })]),
      ],
      {
        person: table({ id: 'integer', email: 'string', phone: 'string' }, [
          [1, 'ann@example.com', '555'],
          [2, 'ben@example.com', '777'],
        ]),
        call: table({ id: 'integer', phone: 'string' }, [
          [10, '555'],
          [11, '777'],
        ]),
      },
    )
    const hers = await accessTo([shop], { ...ann, phone_number: '555' })
    expect([hers.request.status, hers.got]).toEqual(['complete', { call: [10] }])
    const mixed = await accessTo([shop], { ...ann, phone_number: '777' })
    expect([mixed.request.status, mixed.got]).toEqual(['paused', {}])
  })
})

describe('a courier who is known by a phone number', () => {
  const described = (direction: Said) =>
    shopOf(
      [
        people,
        collection('courier', [id, name, field('phone', { identity: 'phone_number' })]),
        collection('parcel', [id, refer('person_id', 'person.id'), undirected('courier_id', 'courier.id', direction)]),
      ],
      {
        person: persons,
        courier: table({ id: 'integer', name: 'string', phone: 'string' }, [
          [7, 'Rider', '555'],
          [8, 'Nobody', null],
        ]),
        parcel: filled(
          table({ id: 'integer', person_id: 'integer', courier_id: 'integer' }, [
            [10, 1, 7],
            [11, 2, 7],
          ]),
          'person_id',
          'courier_id',
        ),
      },
    )

  it.each<[string, Said]>([
    ['undirected', {}],
    ["'to'", { direction: 'to' }],
    ["'from'", { direction: 'from' }],
    ["'none'", { direction: 'none' }],
  ])('is not delivered to a person who asks by e-mail: the reference to them is %s', async (_, direction) => {
    const { got } = await accessTo([described(direction)], ann)
    expect(got['courier']).toBeUndefined()
    expect(got['person']).toEqual([1])
    expect(got['parcel'] ?? [10]).toEqual([10])
  })

  it('is undecided where the parcel says that its courier is part of the person', async () => {
    const { undecided, request } = await accessTo([described({ direction: 'to' })], ann)
    expect(Object.values(undecided)).toEqual([1])
    expect(request.incomplete).toBe(true)
  })
})

describe('a phone number that only her own row shows', () => {
  it('makes a row hers that holds it and is referred to, and leaves a row that holds another number', async () => {
    const phone = field('phone', { identity: 'phone_number' }, ['user.contact.phone_number'])
    const shop = shopOf(
      [
        collection('person', [id, email, phone, undirected('handset_id', 'handset.id', { direction: 'to' })]),
        collection('handset', [id, phone]),
        collection('call', [id, phone]),
      ],
      {
        person: table({ id: 'integer', email: 'string', phone: 'string', handset_id: 'integer' }, [
          [1, 'ann@example.com', '555', 20],
          [2, 'ann@example.com', '555', 21],
        ]),
        handset: table({ id: 'integer', phone: 'string' }, [
          [20, '555'],
          [21, '777'],
          [22, '555'],
        ]),
        call: table({ id: 'integer', phone: 'string' }, [[30, '555']]),
      },
    )
    const { got, undecided } = await accessTo([shop], ann)
    // What was told only judges: nothing is looked for by it.
    expect(got).toEqual({ handset: [20], person: [1, 2] })
    expect(Object.values(undecided)).toEqual([1])
  })
})

describe('a row that one of hers refers to and that somebody else owns', () => {
  const order = (handled: Said) =>
    shopOf(
      [
        people,
        collection('order', [id, refer('person_id', 'person.id'), undirected('handled_by', 'person.id', handled)]),
        collection('badge', [id, email, refer('order_id', 'order.id', { direction: 'to' })]),
      ],
      {
        person: persons,
        order: filled(
          table({ id: 'integer', person_id: 'integer', handled_by: 'integer' }, [[10, 2, 1]]),
          'handled_by',
        ),
        badge: table({ id: 'integer', email: 'string', order_id: 'integer' }, [[20, 'ann@example.com', 10]]),
      },
    )

  it('is undecided where an open reference leads to her', async () => {
    const { got, undecided } = await accessTo([order({})], ann)
    expect(got).toEqual({ badge: [20], person: [1] })
    expect(undecided).toEqual({ 'shop:order.handled_by': 1 })
  })

  it("is theirs once it says 'none'", async () => {
    const { got, undecided } = await accessTo([order({ direction: 'none' })], ann)
    expect(got).toEqual({ badge: [20], person: [1] })
    expect(undecided).toEqual({})
  })
})

describe('rows whose owner is not searched', () => {
  const crm = (meta = {}) => shopOf([{ ...people, service_meta: meta }], { person: persons }, { key: 'crm' })
  const toPerson = refer('person_id', 'person.id', { dataset: 'crm' })
  const visits = (more: readonly object[] = []) =>
    shopOf(
      [collection('visit', [id, toPerson, ...more]), collection('photo', [id, refer('visit_id', 'visit.id'), email])],
      {
        visit: filled(
          table({ id: 'integer', person_id: 'integer', email: 'string' }, [
            [10, 1, 'ann@example.com'],
            [11, 2, 'ben@example.com'],
          ]),
          'person_id',
        ),
        photo: table({ id: 'integer', visit_id: 'integer', email: 'string' }, []),
      },
    )

  it.each([
    ['skipped', { skip_processing: true }, undefined],
    ['disabled', {}, 'crm'],
  ])('are not searched either, and the package says why: the owner is %s', async (_, meta, disabled) => {
    const shop = visits()
    const { request, got, unsearched } = await accessTo(
      [crm(meta), shop],
      ann,
      disabled === undefined ? {} : { disabled },
    )
    expect(request.status).toBe('complete')
    expect(got).toEqual({})
    expect(unsearched).toContainEqual({ collection: 'shop:visit', reason: 'behind: crm:person' })
    expect(shop.connector.calls.some(({ read }) => read?.collection === 'visit')).toBe(false)
  })

  it('are not searched where no identity of the request reaches their owner', async () => {
    const shop = shopOf(
      [
        collection('account', [field('login', { identity: 'login', primary_key: true })]),
        collection('session', [id, refer('login', 'account.login')]),
        people,
      ],
      {
        person: persons,
        account: table({ login: 'string' }, [['ann']]),
        session: table({ id: 'integer', login: 'string' }, [[1, 'ann']]),
      },
    )
    const { got, unsearched } = await accessTo([shop], ann)
    expect(got).toEqual({ person: [1] })
    expect(unsearched).toEqual([
      { collection: 'shop:account', reason: 'identity not provided: login' },
      { collection: 'shop:session', reason: 'identity not provided: login' },
    ])
  })

  it('are found by an identity of their own, and undecided since they name an owner that is not searched', async () => {
    const { got, undecided } = await accessTo([crm({ skip_processing: true }), visits([email])], ann)
    expect(got).toEqual({})
    expect(undecided).toEqual({ 'shop:visit.email': 1 })
  })

  it('are undecided where one of two owners is searched and they name the other as well', async () => {
    const shop = shopOf(
      [
        people,
        collection('note', [id, refer('person_id', 'person.id'), refer('crm_id', 'person.id', { dataset: 'crm' })]),
      ],
      {
        person: persons,
        note: table({ id: 'integer', person_id: 'integer', crm_id: 'integer' }, [
          [10, 1, null],
          [11, 1, 2],
          [12, null, 1],
        ]),
      },
    )
    const { got, undecided } = await accessTo([shop, crm({ skip_processing: true })], ann)
    expect(got).toEqual({ note: [10], person: [1] })
    expect(undecided).toEqual({ 'shop:note.person_id': 1 })
  })
})
