import { expect, it } from 'vitest'
import { collection, field, live, planned } from '../../../test/fixtures/planned-shop.js'
import { accessMessage, erasureMessage, erasureTargets } from '../../../test/fixtures/told-shop.js'
import { planText } from './plan-text.js'

it('an access: entries, columns with their purpose, inferred, open and unsearched parts', () => {
  expect(planText(accessMessage).split('\n')).toEqual([
    '1. shop:alias (connection db, together with itself and shop:customer until nothing new is found)',
    '   by email ← identity email',
    '   by customer_id ← shop:customer.id',
    '   reads email (entry, owner, target), customer_id (entry, owner, reference)',
    '   does not read id',
    '2. shop:customer (connection db, together with itself and shop:alias until nothing new is found)',
    '   by email ← identity email',
    '   by id ← shop:alias.customer_id (names the person)',
    '   reads email (entry, owner, target), name (target), phone (target), birthday (target), id (entry, reference), address_id (reference), support_rep_id (reference)',
    '3. shop:address (connection db)',
    '   by id ← shop:customer.address_id (refers to it), shop:orders.ship_to (refers to it)',
    '   reads street (target), city (target), id (entry)',
    '4. shop:invoice (connection db)',
    '   by customer_id ← shop:customer.id (inferred)',
    '   customer_id decides who owns a row, since nothing else can (inferred)',
    '   reads text (target), customer_id (entry, owner)',
    '   does not read id',
    '5. shop:orders (connection db)',
    '   by customer_id ← shop:customer.id',
    '   customer_id decides who owns a row',
    '   reads note (target), total (target), customer_id (entry, owner), ship_to (reference)',
    '   does not read id',
    '6. shop:visit (connection db)',
    '   by customer_id ← shop:customer.id (inferred)',
    '   customer_id decides who owns a row, since nothing else can (inferred)',
    '   reads page (target), customer_id (entry, owner)',
    '   does not read id',
    ...openAndUnsearched,
  ])
})

it('an erasure: also what is deleted, masked and kept, and in which order', () => {
  expect(planText(erasureMessage).split('\n')).toEqual([
    '1. shop:alias (connection db, together with itself and shop:customer until nothing new is found)',
    '   by email ← identity email',
    '   by customer_id ← shop:customer.id',
    '   reads email (entry, erasure, identity, owner), customer_id (entry, owner, reference), id (key)',
    '2. shop:customer (connection db, together with itself and shop:alias until nothing new is found)',
    '   by email ← identity email',
    '   by id ← shop:alias.customer_id (names the person)',
    '   reads email (entry, erasure, identity, owner), id (entry, key, reference), address_id (reference), support_rep_id (reference), name (erasure), phone (erasure), birthday (erasure)',
    '3. shop:address (connection db)',
    '   by id ← shop:customer.address_id (refers to it), shop:orders.ship_to (refers to it)',
    '   reads id (entry, key), street (erasure), city (erasure)',
    '4. shop:invoice (connection db)',
    '   by customer_id ← shop:customer.id (inferred)',
    '   customer_id decides who owns a row, since nothing else can (inferred)',
    '   reads customer_id (entry, owner), id (key), text (erasure)',
    '5. shop:orders (connection db)',
    '   by customer_id ← shop:customer.id',
    '   customer_id decides who owns a row',
    '   reads customer_id (entry, owner), ship_to (reference), id (key), note (erasure), total (erasure)',
    '6. shop:visit (connection db)',
    '   by customer_id ← shop:customer.id (inferred)',
    '   customer_id decides who owns a row, since nothing else can (inferred)',
    '   reads customer_id (entry, owner), id (key), page (erasure)',
    '',
    'Erased in this order, each collection after all that were reached from it:',
    '1. shop:visit: rows are deleted, identified by primary key id',
    '   masks where a row cannot be deleted page (null_rewrite)',
    '2. shop:invoice: rows are kept',
    '   keeps rows: tax law',
    '3. shop:address: rows are masked, identified by primary key id',
    '   masks street (null_rewrite), city (null_rewrite)',
    '   keeps rows that rows of others in shop:customer, shop:orders also refer to',
    '4. shop:orders: rows are masked, identified by primary key id',
    '   masks note (null_rewrite)',
    '   keeps total (books of account)',
    '5. shop:customer: rows are masked, identified by primary key id',
    '   masks email (null_rewrite), name (null_rewrite), phone (null_rewrite), birthday (null_rewrite)',
    '6. shop:alias: rows are masked, identified by primary key id',
    '   masks email (null_rewrite)',
    ...openAndUnsearched,
  ])
})

it('an erasure after finding: how many rows there are, and which collections are left unchanged', () => {
  const { erasure, ...visit } = erasureMessage.collections.find(({ address }) => address === 'shop:visit') ?? never()
  const others = erasureMessage.collections.filter(({ address }) => address !== 'shop:visit')
  const found = { 'shop:orders': { rows: 3, due: 2 } }
  const text = planText({ ...erasureMessage, collections: [...others, visit], found })
  expect(erasure?.how).toBe('delete')
  expect(text).toContain(
    '3. shop:orders: rows are masked, identified by primary key id – 3 rows found, 2 to be written\n',
  )
  expect(text).toContain('\nLeft unchanged, since no rule asks for them: shop:visit\n')
})

/** The answers are those of the plan. */
const [employee = never(), review = never()] = accessMessage.open
const openAndUnsearched = [
  '',
  'Open: these rows are counted and left alone until somebody decides who owns them:',
  `- shop:employee by shop:customer.support_rep_id: 'shop:customer' has an identity of its own. Say ${employee.answers}.`,
  `- shop:review by shop:review.customer_id: it may be empty. Say ${review.answers}.`,
  '',
  'Not searched:',
  '- shop:guest: identity not provided: club_card (the policy asks for its fields)',
  '- shop:archive: skip_processing (the policy asks for its fields)',
  '- shop:price: no target needs it',
  '',
  'Findings:',
  "- warning: Nobody has said whether 'shop:employee.email' says whose a row is, and others declare the identity 'email': rows that only it names are not found. Declare 'identity: email' there, or say 'reviewed: true' on it if it does not identify the owner of the row.",
]

function never(): never {
  throw new Error('The plan lacks its open references.')
}

it('an erasure: a key that is kept and goes on naming the person, with what erases it', () => {
  const letters = (meta: object, of: object = {}) =>
    planned({
      collections: [
        collection('letters', [field('email', { primary_key: true, identity: 'email', ...meta }, ['user'])], { ...of }),
      ],
      catalogue: { collections: [live('letters', ['email'], { primaryKey: ['email'] })] },
      targets: () => [],
      erasureTargets,
    })
  const told =
    "   so the rows still name the person: erase: delete on 'shop:letters', or a masking_strategy on email, erases that"
  expect(planText(letters({})).split('\n')).toEqual(expect.arrayContaining(['   keeps email (key)', told]))
  expect(planText(letters({}, { erase: 'delete' }))).not.toContain('still name')
  expect(planText(letters({ masking_strategy: { strategy: 'hash' } }))).not.toContain('still name')
})
