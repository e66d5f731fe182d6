import { expect, it } from 'vitest'
import { accessMessage, erasureMessage } from '../../../test/fixtures/told-shop.js'
import { planText } from './plan-text.js'

it('an access: the ways in, what is read for what, what is inferred, what is open and why, what is not searched', () => {
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
    '   by id ← shop:customer.address_id (points to it), shop:orders.ship_to (points to it)',
    '   reads street (target), city (target), id (entry)',
    '4. shop:invoice (connection db)',
    '   by customer_id ← shop:customer.id (inferred)',
    '   whose a row is says customer_id, as nothing else can (inferred)',
    '   reads text (target), customer_id (entry, owner)',
    '   does not read id',
    '5. shop:orders (connection db)',
    '   by customer_id ← shop:customer.id',
    '   whose a row is says customer_id',
    '   reads note (target), total (target), customer_id (entry, owner), ship_to (reference)',
    '   does not read id',
    '6. shop:visit (connection db)',
    '   by customer_id ← shop:customer.id (inferred)',
    '   whose a row is says customer_id, as nothing else can (inferred)',
    '   reads page (target), customer_id (entry, owner)',
    '   does not read id',
    ...openAndUnsearched,
  ])
})

it('an erasure: besides, what is deleted, masked and kept, and in which order', () => {
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
    '   by id ← shop:customer.address_id (points to it), shop:orders.ship_to (points to it)',
    '   reads id (entry, key), street (erasure), city (erasure)',
    '4. shop:invoice (connection db)',
    '   by customer_id ← shop:customer.id (inferred)',
    '   whose a row is says customer_id, as nothing else can (inferred)',
    '   reads customer_id (entry, owner), id (key), text (erasure)',
    '5. shop:orders (connection db)',
    '   by customer_id ← shop:customer.id',
    '   whose a row is says customer_id',
    '   reads customer_id (entry, owner), ship_to (reference), id (key), note (erasure), total (erasure)',
    '6. shop:visit (connection db)',
    '   by customer_id ← shop:customer.id (inferred)',
    '   whose a row is says customer_id, as nothing else can (inferred)',
    '   reads customer_id (entry, owner), id (key), page (erasure)',
    '',
    'Erased, in this order, each after all that was reached from it:',
    '1. shop:visit: rows are deleted, told apart by primary key id',
    '   masks where a row cannot go page (null_rewrite)',
    '2. shop:invoice: rows are kept',
    '   keeps rows: tax law',
    '3. shop:address: rows are masked, told apart by primary key id',
    '   masks street (null_rewrite), city (null_rewrite)',
    '   keeps rows that others in shop:customer, shop:orders point to as well',
    '4. shop:orders: rows are masked, told apart by primary key id',
    '   masks note (null_rewrite)',
    '   keeps total (books of account)',
    '5. shop:customer: rows are masked, told apart by primary key id',
    '   masks email (null_rewrite), name (null_rewrite), phone (null_rewrite), birthday (null_rewrite)',
    '6. shop:alias: rows are masked, told apart by primary key id',
    '   masks email (null_rewrite)',
    ...openAndUnsearched,
  ])
})

it('an erasure, once everything was found: how many rows there are, and which collections are left as they are', () => {
  const { erasure, ...visit } = erasureMessage.collections.find(({ address }) => address === 'shop:visit') ?? never()
  const others = erasureMessage.collections.filter(({ address }) => address !== 'shop:visit')
  const found = { 'shop:orders': { rows: 3, due: 2 } }
  const text = planText({ ...erasureMessage, collections: [...others, visit], found })
  expect(erasure?.how).toBe('delete')
  expect(text).toContain(
    '3. shop:orders: rows are masked, told apart by primary key id – 3 rows found, 2 to be written\n',
  )
  expect(text).toContain('\nKept, as no rule asks for anything of them: shop:visit\n')
})

/** What may be answered is the same in the plan. */
const [employee = never(), review = never()] = accessMessage.open
const openAndUnsearched = [
  '',
  'Open: rows are counted and left alone until somebody says whose they are:',
  `- shop:employee by shop:customer.support_rep_id: 'shop:customer' has an identity of its own. Say ${employee.answers}.`,
  `- shop:review by shop:review.customer_id: it may be empty. Say ${review.answers}.`,
  '',
  'Not searched:',
  '- shop:guest: identity not provided: club_card (the policy asks for fields of it)',
  '- shop:archive: skip_processing (the policy asks for fields of it)',
  '- shop:price: no target needs it',
]

function never(): never {
  throw new Error('The plan lacks what it has to tell.')
}
