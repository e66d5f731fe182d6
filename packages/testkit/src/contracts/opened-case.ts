import type { Test } from '../test.js'

/** The thing under test, opened afresh for each case, so that cases do not affect each other. */
export type Open<Opened> = () => Opened | Promise<Opened>

/** Declares cases that each open the thing under test, and close it however the case ends. */
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
