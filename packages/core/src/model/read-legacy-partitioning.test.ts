import { describe, expect, it } from 'vitest'
import { readLegacyPartitioning } from './read-legacy-partitioning.js'

describe('partitioning of the older form', () => {
  it('is a list of ranges, taken as it is', () => {
    const ranges = [
      { field: 'last_visit', end: 'NOW() - 1000 DAYS' },
      { field: 'last_visit', start: 'NOW() - 1000 DAYS', end: 'NOW()', interval: '500 DAYS' },
    ]
    expect(readLegacyPartitioning(ranges)).toEqual(ranges)
  })

  it.each([
    ['`created` > 5 AND `created` <= 10', { field: 'created', start: 5, end: 10 }],
    ["created = '2020-01-31'", { field: 'created', start: '2020-01-31', end: '2020-01-31' }],
    ["`at` >= '2020-01-31 10:00:00 UTC'", { field: 'at', start: '2020-01-31T10:00:00Z' }],
    ['`at` <= CURRENT_TIMESTAMP - INTERVAL 500 DAY', { field: 'at', end: 'NOW() - 500 DAYS' }],
    ['`at` <= CURRENT_TIMESTAMP()', { field: 'at', end: 'NOW()' }],
  ])('reads the clause %s', (clause, range) => {
    expect(readLegacyPartitioning({ where_clauses: [clause] })).toEqual([range])
  })

  it.each([
    [['a']],
    [["a = '1'; drop table b"]],
    [["a > '2020-01-01' OR true"]],
    [['a > 1 AND b < 2']],
    [["a > 'no date'"]],
    [['a > (select 1)']],
    [['a > 1', 'b']],
    [[]],
  ])('takes no other clause: %j', (where_clauses) => {
    expect(readLegacyPartitioning({ where_clauses })).toBeUndefined()
  })

  it.each([['a'], [{}], [[{ field: 'a' }]], [[null]]])('takes nothing else: %j', (value) => {
    expect(readLegacyPartitioning(value)).toBeUndefined()
  })
})
