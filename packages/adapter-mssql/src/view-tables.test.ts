import { expect, it } from 'vitest'
import { shownTables } from './view-tables.js'

const part = (view: string, named: string | null, type = 'U', more: object = {}) => ({
  view: ['dbo', view] as const,
  named: named === null ? null : (['dbo', named] as const),
  ...{ type, secured: false, masked: false, ...more },
})
const sees = { seesValues: true }

it('resolves views of views, and a circle among them', () => {
  const parts = [part('a', 'b', 'V'), part('b', 'a', 'V'), part('b', 'people'), part('a', 'orders')]
  const { tables, hides } = shownTables(parts, sees)(['dbo', 'a'])
  expect([tables?.map(([, name]) => name).sort(), hides]).toEqual([['orders', 'people'], false])
})

it('knows nothing of a view over another database, over a function, or whose names are hidden', () => {
  const parts = [
    part('far', null),
    part('made', 'rows_of', 'IF'),
    part('counted', 'people'),
    part('counted', 'f', 'FN'),
  ]
  const shown = shownTables([...parts, part('over', 'far', 'V')], sees)
  for (const view of ['far', 'made', 'hidden', 'over']) expect(shown(['dbo', view]).tables).toBeUndefined()
  expect(shown(['dbo', 'counted']).tables).toEqual([['dbo', 'people']])
})

it('a policy hides rows of every view above it, and a mask those of users who do not see values', () => {
  const parts = [
    part('a', 'b', 'V'),
    part('b', 'people', 'U', { secured: true }),
    part('c', 'people', 'U', { masked: true }),
  ]
  expect(shownTables(parts, sees)(['dbo', 'a']).hides).toBe(true)
  expect(shownTables(parts, sees)(['dbo', 'c']).hides).toBe(false)
  expect(shownTables(parts, { seesValues: false })(['dbo', 'c']).hides).toBe(true)
})
