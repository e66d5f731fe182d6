import { connectionFailure } from '@habeas/sql'
import { expect, it } from 'vitest'
import { mysqlErrors } from './mysql-errors.js'

it.each([
  [1047, '08S01'],
  [1203, '42000'],
  [3101, 'HY000'],
])('error %i passes', (errno, sqlState) => {
  const error = Object.assign(new Error('the words of the server'), { errno, sqlState })
  expect(connectionFailure(mysqlErrors, error, 'writing').details).toEqual({ reason: 'other', transient: true })
})

it('a transaction that lost to another member of a group is repeated', () => {
  expect(mysqlErrors.conflicts.has('3101')).toBe(true)
})
