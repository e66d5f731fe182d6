import { existsSync, readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { summary } from './scripts/summary-reporter.js'

/** Set by scripts/live.ts: run only the suites that need a server named in the environment. */
const live = process.env['HABEAS_LIVE'] === '1'

/** Workspaces that have tests of their own. */
const folders = (folder: string): string[] =>
  readdirSync(folder)
    .map((name) => `${folder}/${name}`)
    .filter((path) => folder === 'packages' || existsSync(`${path}/test`))

export default defineConfig({
  // `ssr.resolve`, because `resolve` alone does nothing for code that runs in Node. Adding 'import' would break CommonJS
  // dependencies; leaving out 'node' would pick browser builds.
  ssr: { resolve: { conditions: ['@habeas/source', 'node'] } },
  test: {
    reporters: ['default', summary()],
    // Most tests wait for servers. Several files run at once even where there are two cores; those of live suites share servers.
    maxWorkers: Math.max(live ? 2 : 3, availableParallelism() - 1),
    projects: [...folders('packages'), ...folders('examples')].map((root) => ({
      extends: true,
      test: {
        name: basename(root),
        root,
        include: live ? ['test/**/*.live.test.ts'] : ['{src,test}/**/*.test.ts'],
        globalSetup: [resolve(root, 'test/built-packages.ts')].filter(existsSync),
        exclude: live ? [] : ['**/*.live.test.ts'],
        // One process for many files: modules are evaluated once. Shared set-up has to be called by each file that needs it.
        isolate: false,
        // For what hangs. A machine with much else to do must fail no test.
        testTimeout: 900_000,
        hookTimeout: 300_000,
        expect: { poll: { timeout: 120_000, interval: 20 } },
      },
    })),
  },
})
