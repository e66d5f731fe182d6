import type { Test } from '@habeas/testkit'
import { expect, it } from 'vitest'

type Contract<Opened> = (test: Test, open: () => Opened | Promise<Opened>) => void

/** A broken adapter: what is wrong with it, how it is opened, and the cases of the contract that have to fail. */
export type Broken<Opened> = readonly [fault: string, open: () => Opened | Promise<Opened>, ...cases: string[]]

const casesOf = <Opened>(contract: Contract<Opened>, open: () => Opened | Promise<Opened>) => {
  const cases = new Map<string, () => Promise<void>>()
  contract((name, run) => cases.set(name, run), open)
  return cases
}

/** Declares, for each broken adapter, a test that the contract finds it out. */
export const foundOut = <Opened>(contract: Contract<Opened>, broken: readonly Broken<Opened>[]): void => {
  for (const [fault, open, ...names] of broken) {
    it.concurrent(`finds out an adapter that ${fault}`, async () => {
      const cases = casesOf(contract, open)
      for (const name of names) {
        const run = cases.get(name)
        expect(run, `the contract has the case: ${name}`).toBeDefined()
        await expect(run?.(), `the case should fail: ${name}`).rejects.toThrow()
      }
    })
  }
}
