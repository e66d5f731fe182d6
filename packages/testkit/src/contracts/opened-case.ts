import type { Test } from '../test.js'

/** What a contract is run against: made afresh for each case, so that cases do not see each other. */
export type Open<Opened> = () => Opened | Promise<Opened>

/** Declares cases that each get something newly opened, and let go of it however the case ends. */
export const openedCases =
  <Opened>(test: Test, open: Open<Opened>, close: (opened: Opened) => Promise<void> = async () => {}) =>
  (name: string, run: (opened: Opened) => Promise<void>): unknown =>
    test(name, async () => {
      const opened = await open()
      try {
        await run(opened)
      } finally {
        await close(opened)
      }
    })
