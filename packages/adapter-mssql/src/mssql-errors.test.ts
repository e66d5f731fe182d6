import { connectionFailure } from '@habeas/sql'
import { expect, it } from 'vitest'
import { mssqlErrors } from './mssql-errors.js'

it.each([701, 8_645, 40_501, 49_918, 49_919, 49_920])('error %i passes', (number) => {
  const error = Object.assign(new Error('the words of the server'), { number })
  expect(connectionFailure(mssqlErrors, error, 'writing').details).toEqual({ reason: 'other', transient: true })
})
