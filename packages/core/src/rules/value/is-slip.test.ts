import { expect, test } from 'vitest'
import { isSlip } from './is-slip.js'

test.each([
  ['emial', 'email'],
  ['emal', 'email'],
  ['emails', 'email'],
  ['Email', 'email'],
  ['e_mail', 'email'],
  ['phone_numbr', 'phone_number'],
  ['phoneNumber', 'phone_number'],
  ['userId', 'user_id'],
  ['biling', 'billing'],
])('%s is probably %s', (left, right) => {
  expect([isSlip(left, right), isSlip(right, left)]).toEqual([true, true])
})

test.each([
  ['email', 'email'],
  ['user_id', 'user_ip'],
  ['rider_id', 'driver_id'],
  ['member_no', 'member_id'],
  ['shop1', 'shop2'],
  ['shop_a', 'shop_b'],
  ['shop', 'shop_eu'],
  ['phone', 'phone_number'],
  ['stage_live', 'state_life'],
])('%s is not %s', (left, right) => {
  expect([isSlip(left, right), isSlip(right, left)]).toEqual([false, false])
})
