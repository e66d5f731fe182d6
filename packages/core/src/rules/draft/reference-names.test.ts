import { describe, expect, it } from 'vitest'
import { isActorColumn, isNamedForPerson, isResponseTable } from './reference-names.js'

describe('a reference to people', () => {
  it.each([
    ['customer_id', 'customers', 'id'],
    ['CustomerKey', 'dim_customer', 'key'],
    ['cust_no', 'customer', 'no'],
    ['emp_no', 'employees', 'emp_no'],
    ['BusinessEntityID', 'Person', 'BusinessEntityID'],
    ['klienta_id', 'klient', 'id'],
    ['user', 'accounts', 'id'],
    ['billing_customer_id', 'customers', 'id'],
    ['id', 'users', 'id'],
    ['author_id', 'users', 'id'],
    ['buyer_id', 'users', 'id'],
  ])('%s to %s.%s is named for the person of the row', (column, table, key) => {
    expect(isNamedForPerson(column, { table, key })).toBe(true)
  })
  it.each([
    ['suspect_id', 'users'],
    ['boss', 'users'],
    ['chauffeur_id', 'users'],
    ['newsletter_author', 'users'],
    ['listing_owner_id', 'users'],
    ['recipient_id', 'users'],
    ['target', 'users'],
    ['perpetrator_id', 'persons'],
  ])('%s to %s is named for a part', (column, table) => {
    expect(isNamedForPerson(column, { table, key: 'id' })).toBe(false)
  })
})

it.each([
  ['comment', true],
  ['survey_responses', true],
  ['FlatApplication', true],
  ['order_items', false],
  ['payments', false],
  ['response_times', false],
])('%s is a table of what others do with a row: %s', (table, is) => {
  expect(isResponseTable(table)).toBe(is)
})

it.each([
  ['visitor_ip', true],
  ['nickname', true],
  ['ip', false],
  ['guest', false],
  ['handle_with_care', false],
])('%s tells of the person who acted: %s', (column, is) => {
  expect(isActorColumn(column)).toBe(is)
})
