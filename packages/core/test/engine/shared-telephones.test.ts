import type { MemoryRow } from '@habeas/testkit'
import { describe, expect, it } from 'vitest'
import { collection, documents, field, id, shopOf, table } from './described.js'
import { accessTo, email, name } from './whose-access.js'

describe('a phone number that two people share', () => {
  const phone = field('phone', { identity: 'phone_number' })
  const shared = (emails: readonly (string | null)[]) =>
    shopOf([collection('person', [id, name, email, phone])], {
      person: table({ id: 'integer', name: 'string', email: 'string', phone: 'string' }, [
        ...emails.map((each, at) => [at + 1, `Person ${at}`, each, '555']),
        [9, 'Cem', 'cem@example.com', '777'],
      ]),
    })

  it('leaves open whose the rows are where their e-mail addresses differ', async () => {
    const { got, undecided } = await accessTo([shared(['ann@example.com', 'ben@example.com'])], { phone_number: '555' })
    expect(got).toEqual({})
    expect(undecided).toEqual({ 'shop:person.phone': 2 })
  })

  it.each<[string, (string | null)[], number[]]>([
    ['one person has it', ['ann@example.com'], [1]],
    ['their addresses are one, however it is written', ['ann@example.com', 'Ann@Example.com ', null], [1, 2, 3]],
  ])('finds rows where %s', async (_, emails, ids) => {
    expect((await accessTo([shared(emails)], { phone_number: '555' })).got).toEqual({ person: ids })
  })

  it('leaves it open as well where one has it at home and the other as a mobile number', async () => {
    const home = field('home', { identity: 'phone_number' })
    const shop = shopOf([collection('person', [id, email, phone, home])], {
      person: table({ id: 'integer', email: 'string', phone: 'string', home: 'string' }, [
        [1, 'ann@example.com', '555', null],
        [2, 'ben@example.com', null, '555'],
      ]),
    })
    expect((await accessTo([shop], { phone_number: '555' })).got).toEqual({})
  })

  it('leaves it open where both of two properties are those of a household', async () => {
    const zip = field('zip', { identity: 'zip' })
    const shop = shopOf([collection('person', [id, email, phone, zip])], {
      person: table({ id: 'integer', email: 'string', phone: 'string', zip: 'string' }, [
        [1, 'ann@example.com', '555', '12'],
        [2, 'ben@example.com', '555', '12'],
        [3, 'cem@example.com', '555', '34'],
      ]),
    })
    const { got, undecided } = await accessTo([shop], { phone_number: '555', zip: '12' })
    expect(got).toEqual({})
    expect(undecided).toEqual({ 'shop:person.phone': 3 })
  })

  it('leaves it open with two of three properties in a table that holds no more', async () => {
    const [zip, surname] = [field('zip', { identity: 'zip' }), field('surname', { identity: 'surname' })]
    const shop = shopOf(
      [collection('person', [id, email, phone, zip, surname]), collection('call', [id, phone, zip])],
      {
        person: table({ id: 'integer', email: 'string', phone: 'string', zip: 'string', surname: 'string' }, [
          [1, 'ann@example.com', '555', '12', 'Huber'],
          [2, 'ben@example.com', '555', '12', null],
        ]),
        call: table({ id: 'integer', phone: 'string', zip: 'string' }, [[10, '555', '12']]),
      },
    )
    const { got, undecided } = await accessTo([shop], { phone_number: '555', zip: '12', surname: 'Huber' })
    // Nobody shares all three with her.
    expect(got).toEqual({ person: [1] })
    expect(undecided).toEqual({ 'shop:call.phone': 1, 'shop:person.phone': 1 })
  })

  it('finds both accounts of one person where their e-mail address shows that', async () => {
    const login = field('login', { identity: 'login' })
    const accounts = table({ id: 'integer', email: 'string', login: 'string', phone: 'string' }, [
      [1, 'ann@example.com', 'ann', '555'],
      [2, 'ann@example.com', 'ann2', '555'],
    ])
    const shop = shopOf([collection('person', [id, email, login, phone])], {
      person: { ...accounts, uniqueKeys: [['login']] },
    })
    expect((await accessTo([shop], { phone_number: '555' })).got).toEqual({ person: [1, 2] })
  })

  it('finds nothing where only a table that no rule asks for shows that', async () => {
    const silent = [field('email', { identity: 'email' }, []), field('phone', { identity: 'phone_number' }, [])]
    const person = collection('person', [field('id', { primary_key: true }, []), ...silent])
    const shop = shopOf([person, collection('call', [id, phone])], {
      person: table({ id: 'integer', email: 'string', phone: 'string' }, [
        [1, 'ann@example.com', '555'],
        [2, 'ben@example.com', '555'],
      ]),
      call: table({ id: 'integer', phone: 'string' }, [[10, '555']]),
    })
    const { got, undecided } = await accessTo([shop], { phone_number: '555' })
    expect(got).toEqual({})
    expect(undecided).toEqual({ 'shop:call.phone': 1, 'shop:person.phone': 2 })
  })

  it('finds the row that holds an e-mail address of the request', async () => {
    const identity = { phone_number: '555', email: 'ben@example.com' }
    const { got, undecided } = await accessTo([shared(['ann@example.com', 'ben@example.com'])], identity)
    expect(got).toEqual({ person: [2] })
    expect(undecided).toEqual({ 'shop:person.phone': 1 })
  })

  describe('in a list', () => {
    const inList = (name: string, fields: readonly object[]) =>
      field(name, { data_type: 'object[]' }, [], [...fields] as never)
    const ann = { email: 'ann@example.com', phone: '555', note: 'of Ann' }
    const ben = { email: 'ben@example.com', phone: '555', note: 'of Ben' }
    const silent = { phone: '555', note: 'of whom?' }
    const called = (rows: readonly MemoryRow[], ...fields: readonly object[]) =>
      shopOf([collection('call', [id, ...fields])], { call: documents(rows) }, { capabilities: { nestedFields: true } })
    const list = inList('people', [email, phone, field('note')])

    it.each<[string, MemoryRow[], object[]]>([
      ['its elements', [{ id: 1, people: [ann, ben, silent] }], [list]],
      [
        'elements of rows',
        [
          { id: 1, people: [ann] },
          { id: 2, people: [ben, silent] },
        ],
        [list],
      ],
      [
        'elements of lists inside lists',
        [{ id: 1, groups: [{ people: [ann] }, { people: [ben] }] }],
        [inList('groups', [inList('people', [email, phone, field('note')])])],
      ],
      [
        'elements of two lists',
        [{ id: 1, callers: [ann], called: [ben] }],
        [inList('callers', [email, phone, field('note')]), inList('called', [email, phone, field('note')])],
      ],
    ])('leaves open whose %s are where their e-mail addresses differ', async (_, rows, fields) => {
      const { got, undecided, text } = await accessTo([called(rows, ...fields)], { phone_number: '555' })
      expect(text).not.toContain('of ')
      expect(Object.keys(undecided).length, JSON.stringify(got)).toBeGreaterThan(0)
    })

    it('finds the element that holds the e-mail address as well, and leaves open one that holds none', async () => {
      const identity = { phone_number: '555', email: 'ann@example.com' }
      const { undecided, text } = await accessTo([called([{ id: 1, people: [ann, ben, silent] }], list)], identity)
      expect(text).toContain('of Ann')
      expect(text).not.toContain('of Ben')
      expect(text).not.toContain('of whom?')
      expect(undecided).toEqual({ 'shop:call.people.phone': 1 })
    })

    it.each<[string, MemoryRow[]]>([
      ['one person has it', [{ id: 1, people: [ann, { email: 'cem@example.com', phone: '777' }] }]],
      ['their addresses are one', [{ id: 1, people: [ann, { ...ann, email: 'Ann@example.com' }, silent] }]],
    ])('finds elements where %s', async (_, rows) => {
      const { undecided, text } = await accessTo([called(rows, list)], { phone_number: '555' })
      expect(text).toContain('of Ann')
      expect(text).not.toContain('cem@')
      expect(undecided).toEqual({})
    })

    it('is one person’s where only the addresses stand in a list beside it', async () => {
      const addresses = inList('addresses', [email])
      const rows = [{ id: 1, phone: '555', addresses: [{ email: 'ann@example.com' }, { email: 'ann@home.example' }] }]
      const { got } = await accessTo([called(rows, phone, addresses)], { phone_number: '555' })
      expect(got).toEqual({ call: [1] })
    })
  })
})
