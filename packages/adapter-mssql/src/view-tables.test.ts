import { expect, it } from 'vitest'
import { shownTables } from './view-tables.js'

const part = (view: string, named: string | null, type = 'U') => ({
  view: ['dbo', view] as const,
  named: named === null ? null : (['dbo', named] as const),
  type,
})

it('resolves views of views, and a circle among them', () => {
  const shown = shownTables([part('a', 'b', 'V'), part('b', 'a', 'V'), part('b', 'people'), part('a', 'orders')])
  expect(
    shown(['dbo', 'a'])
      ?.map(([, name]) => name)
      .sort(),
  ).toEqual(['orders', 'people'])
})

it('knows nothing of a view over another database, over a function, or whose names are hidden', () => {
  const shown = shownTables([
    part('far', null),
    part('made', 'rows_of', 'IF'),
    part('counted', 'people'),
    part('counted', 'f', 'FN'),
  ])
  expect([shown(['dbo', 'far']), shown(['dbo', 'made']), shown(['dbo', 'hidden'])]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect(shown(['dbo', 'counted'])).toEqual([['dbo', 'people']])
})
