import { expect, it } from 'vitest'
import { checkServer } from './server-version.js'

it.each([
  [[14, 3, 130]],
  [[16, 3, 160]],
  [[12, 5, 150]], // a database of Azure calls itself 12
  [[12, 8, 150]],
])('takes %j', (server) => {
  expect(() => checkServer(server)).not.toThrow()
})

it.each([
  [[13, 3, 130], 'version 13 of SQL Server'],
  [[15, 3, 120], 'compatibility level 120'],
  [[12, 6, 150], 'Synapse'],
  [[12, 11, 150], 'Synapse'],
  [[], 'version unknown'],
])('refuses %j', (server, words) => {
  expect(() => checkServer(server)).toThrow(words)
})
