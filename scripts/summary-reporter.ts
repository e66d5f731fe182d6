import type { Reporter } from 'vitest/reporters'

/** Ends a run with `N passed, N failed, N skipped`. A file that could not even be collected counts as one failure. */
export function summary(): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const count = { passed: 0, failed: unhandledErrors.length, skipped: 0, pending: 0 }
      for (const module of modules) {
        const failedBefore = count.failed
        for (const test of module.children.allTests()) count[test.result().state] += 1
        if (module.state() === 'failed' && count.failed === failedBefore) count.failed += 1
      }
      process.on('exit', () => {
        console.log(`${count.passed} passed, ${count.failed} failed, ${count.skipped + count.pending} skipped`)
      })
    },
  }
}
