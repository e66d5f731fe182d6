import { describe, expect, it } from 'vitest'
import {
  address,
  collection,
  customer,
  field,
  from,
  key,
  planned,
  to,
  wanted,
} from '../../../test/fixtures/planned-shop.js'
import { accessMessage, erasureMessage } from '../../../test/fixtures/told-shop.js'
import { planMermaid } from './plan-mermaid.js'

const ways = [
  '  i0 -->|"email"| c0',
  '  c0 -->|"customer_id → id, names the person"| c1',
  '  i0 -->|"email"| c1',
  '  c1 -->|"id → customer_id"| c0',
  '  c1 -.->|"address_id → id, refers to it"| c2',
  '  c1 --o|"id → customer_id, inferred"| c3',
  '  c1 -->|"id → customer_id"| c4',
  '  c1 --o|"id → customer_id, inferred"| c5',
  '  c4 -.->|"ship_to → id, refers to it"| c2',
  `  c1 -.-|"support_rep_id: open look-up<br/>'shop:customer' has an identity of its own"| c8`,
  '  c1 -.-|"customer_id: open reference<br/>it may be empty"| c9',
]
const beside = [
  '  c6["shop:guest<br/>not searched: identity not provided: club_card (the policy asks for its fields)"]:::unsearched',
  '  c7["shop:archive<br/>not searched: skip_processing (the policy asks for its fields)"]:::unsearched',
  '  c8["shop:employee<br/>counted only"]',
  '  c9["shop:review<br/>counted only"]',
  '  i0(["email"])',
  '  others["shop:price<br/>not searched: no target needs it"]:::unsearched',
]

describe('the picture of a plan', () => {
  it('of an access shows what is delivered, inferred, open and not searched', () => {
    expect(planMermaid(accessMessage).split('\n')).toEqual([
      'flowchart LR',
      '  c0["shop:alias<br/>reads 2 columns, delivers 1 field"]',
      '  c1["shop:customer<br/>reads 7 columns, delivers 4 fields"]',
      '  c2["shop:address<br/>reads 3 columns, delivers 2 fields"]',
      '  c3["shop:invoice<br/>reads 2 columns, delivers 1 field"]',
      '  c4["shop:orders<br/>reads 4 columns, delivers 2 fields<br/>customer_id decides who owns a row"]',
      '  c5["shop:visit<br/>reads 2 columns, delivers 1 field"]',
      ...beside,
      ...ways,
      '  classDef unsearched stroke-dasharray: 4 3,opacity:0.6',
    ])
  })

  it('of an erasure shows what is masked, deleted and kept', () => {
    expect(planMermaid(erasureMessage).split('\n')).toEqual([
      'flowchart LR',
      '  c0["shop:alias<br/>reads 3 columns<br/>masks email"]:::masked',
      '  c1["shop:customer<br/>reads 7 columns<br/>masks 4 fields"]:::masked',
      '  c2["shop:address<br/>reads 3 columns<br/>masks street, city<br/>keeps rows that rows of others also refer to"]:::masked',
      '  c3["shop:invoice<br/>reads 3 columns<br/>keeps rows: tax law"]:::kept',
      '  c4["shop:orders<br/>reads 5 columns<br/>customer_id decides who owns a row<br/>masks note<br/>keeps total"]:::masked',
      '  c5["shop:visit<br/>reads 3 columns<br/>rows deleted"]:::deleted',
      ...beside,
      ...ways,
      '  classDef deleted stroke:#c62828,stroke-width:3px',
      '  classDef masked stroke:#ef6c00,stroke-width:3px',
      '  classDef kept stroke:#2e7d32',
      '  classDef unsearched stroke-dasharray: 4 3,opacity:0.6',
    ])
  })

  it('shows collections that are only read, rows of others, conditions, and undecided rows', () => {
    const picture = planMermaid(
      planned({
        collections: [
          customer,
          address,
          collection('card', [key(), from('customer_id', 'customer.id')]),
          collection('charge', [from('card_id', 'card.id'), from('old_id', 'old.id'), wanted('sum')], { others: true }),
          collection('old', [key(), wanted('x')], { skip_processing: true }),
          collection('note', [from('about', 'customer.id', { when: { kind: 'c"1' } }), field('kind'), wanted('x')]),
          collection('place', [key(), wanted('x')]),
          collection('stay', [
            from('customer_id', 'customer.id'),
            to('place_id', 'place.id', { when: { sort: 2 } }),
            field('sort'),
            wanted('y'),
          ]),
          ...['a', 'b', 'c', 'd'].map((name) => collection(name, [field('x')])),
        ],
      }),
    )
    for (const part of [
      '["shop:card<br/>reads 2 columns, delivers nothing"]',
      `["shop:charge<br/>reads 3 columns, delivers 1 field<br/>also delivers rows of other people<br/>rows that hold 'old_id' stay undecided"]`,
      '"id → about, where kind is c#34;1"',
      '"place_id → id, refers to it, where sort is 2"',
      '["4 collections<br/>not searched: no target needs it"]',
    ])
      expect(picture).toContain(part)
  })

  it('draws an identity once, and as waiting for confirmation only where all of its values wait', () => {
    const person = collection('person', [
      field('email', { identity: 'email' }),
      field('phone', { identity: 'phone' }),
      wanted('x'),
    ])
    const subscription = collection('subscription', [field('email', { identity: 'email' }), wanted('x')])
    const edges = (...identities: string[][]) =>
      planMermaid(planned({ collections: [person, subscription], identities }))
        .split('\n')
        .filter((each) => each.includes('-->') && each.endsWith('c1'))
    expect(edges(['email', 'phone'])).toEqual(['  i0 -->|"email once confirmed"| c1'])
    expect(edges(['email', 'phone'], ['email'])).toEqual(['  i0 -->|"email"| c1'])
  })

  it('shows for an erasure what people do by hand, what cannot be written, and how many rows were found', () => {
    const collections = erasureMessage.collections.map((each) => {
      if (!each.erasure) throw new Error('Everything is erased.')
      if (each.collection === 'visit') return { ...each, erasure: { ...each.erasure, byHand: true as const } }
      if (each.collection === 'alias') return { ...each, erasure: { ...each.erasure, readOnly: true as const } }
      const { erasure, ...untouched } = each
      return each.collection === 'orders' ? untouched : { ...untouched, erasure }
    })
    const found = { 'shop:customer': { rows: 1, due: 1 } }
    expect(planMermaid({ ...erasureMessage, collections, found }).split('\n')).toMatchObject({
      1: '  c0["shop:alias<br/>reads 3 columns<br/>masks email<br/>cannot be written"]:::masked',
      2: '  c1["shop:customer<br/>reads 7 columns<br/>masks 4 fields<br/>1 row found, 1 to be written"]:::masked',
      5: '  c4["shop:orders<br/>reads 5 columns<br/>customer_id decides who owns a row<br/>kept"]:::kept',
      6: '  c5["shop:visit<br/>reads 3 columns<br/>rows deleted by hand"]:::deleted',
    })
  })
})

const hostile = ['"]; click', '%%{init: {}}%%', 'end', 'a\nb', '`x`', '😀', '#quot;', '<img onerror=x>', '|a|{b}']

/** The possible forms of a line. Quoted text contains nothing that ends it, and no markup, directive or comment. */
const text = String.raw`"(?:[^"\x60<>%{}|\[\]]|<br/>)*"`
const line = new RegExp(
  String.raw`^  (?:\w+(?:\[${text}\]|\(\[${text}\]\))(?::::\w+)?|\w+ (?:-->|--o|-\.->|-\.-)\|${text}\| \w+|classDef \w+ [\w#:,. -]+)$`,
  'u',
)

it.each(hostile)('a name cannot become markup: %j', (name) => {
  const plan = planned({
    collections: [
      collection(name, [key(), field(`${name}1`, { identity: name }), wanted('x')]),
      collection(`${name}2`, [from(`${name}3`, `${name}.id`), from(`${name}4`, `${name}5.id`), wanted(`${name}6`)], {
        owner: [`${name}3`],
      }),
      collection(`${name}5`, [key(), wanted('x')], { skip_processing: true }),
    ],
    identities: [[name]],
  })
  const [first, ...lines] = planMermaid(plan).split('\n')
  expect(first).toBe('flowchart LR')
  expect(lines.length).toBeGreaterThan(5)
  for (const each of lines) expect(each).toMatch(line)
})
