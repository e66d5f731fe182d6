import type { Reporter, TestModule } from 'vitest/node'
import { testedKind } from './kinds.js'

interface Count {
  passed: number
  failed: number
  skipped: number
}

/**
 * Ends a run with a line for each kind of database, and then `N passed, N failed, N skipped`. A file that could not even be
 * collected counts as one failure.
 */
export function summary(): Reporter {
  return {
    onTestRunEnd(modules, unhandledErrors) {
      const all: Count = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
      const kinds = new Map<string, Count>()
      for (const module of modules) {
        const count = counted(module)
        add(all, count)
        const tested = testedKind(module.moduleId)
        if (!tested) continue
        const line = `${tested.kind}, on ${tested.against}`
        const known = kinds.get(line) ?? { passed: 0, failed: 0, skipped: 0 }
        kinds.set(line, add(known, count))
      }
      process.on('exit', () => {
        for (const [line, count] of [...kinds].sort()) console.log(`${line}: ${told(count)}`)
        console.log(told(all))
      })
    },
  }
}

function counted(module: TestModule): Count {
  const count: Count = { passed: 0, failed: 0, skipped: 0 }
  for (const test of module.children.allTests()) {
    const { state } = test.result()
    if (state === 'passed' || state === 'failed') count[state]++
    else count.skipped++
  }
  if (module.state() === 'failed' && count.failed === 0) count.failed = 1
  return count
}

function add(to: Count, { passed, failed, skipped }: Count): Count {
  to.passed += passed
  to.failed += failed
  to.skipped += skipped
  return to
}

function told({ passed, failed, skipped }: Count): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}
