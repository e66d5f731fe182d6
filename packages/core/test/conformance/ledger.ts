import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { allCases, type Case, claimed, neededExceptions } from './bank.js'
import { casesLeftOut, membersLeftOut } from './left-out.js'
import { headings } from './override.js'
import { overrides } from './overrides.js'
import { isErasureIn, isReadIn, type QueryExpected, type QueryInput } from './query.js'

/** Cases of statements, which the tests of an adapter run. */
const runsElsewhere = (each: { readonly kind: string }) =>
  each.kind === 'query' &&
  (['postgres', 'generic'].some((name) => isReadIn(name)(each as unknown as QueryCase)) ||
    isErasureIn('bigquery')(each as unknown as QueryCase))

type QueryCase = Case<QueryInput, QueryExpected>

/** Registers the tests that no case, no member and no list of these is lost in silence; to be called last. */
export function checkLedger(): void {
  const cases = allCases()
  const ids = new Set(cases.map(({ id }) => id))
  const elsewhere = cases.filter(runsElsewhere).map(({ id }) => id)
  const leftOut = Object.keys(casesLeftOut)
  const overridden = Object.keys(overrides)
  describe('the list of cases that are not run', () => {
    it('makes up all cases together with those that are run', () => {
      console.log(
        `${ids.size} cases: ${claimed.size} run here, ${elsewhere.length} with an adapter, ${leftOut.length} left out; ${overridden.length} of them overridden.`,
      )
      const told = [...claimed, ...elsewhere, ...leftOut]
      expect([...ids].filter((id) => !told.includes(id))).toEqual([])
      expect(told).toHaveLength(ids.size)
    })
    it('has no case that no longer exists, or that is run', () => {
      expect(leftOut.filter((id) => !ids.has(id) || claimed.has(id))).toEqual([])
    })
    it('has no member that every check looks at', () => {
      expect(membersLeftOut.filter((each) => !neededExceptions.has(each))).toEqual([])
    })
  })
  describe('the overrides', () => {
    it('are of cases that are run', () => {
      expect(overridden.filter((id) => !claimed.has(id) && !elsewhere.includes(id))).toEqual([])
    })
    const semantics = new URL('../../../../docs/semantics.md', import.meta.url)
    it.skipIf(!existsSync(semantics))('name headings that docs/semantics.md has', () => {
      const titles = readFileSync(semantics, 'utf8').matchAll(/^#+ (.+)$/gm)
      const known = new Set([...titles].map(([, title]) => title?.trim()))
      expect(headings.filter((heading) => !known.has(heading))).toEqual([])
    })
  })
}
