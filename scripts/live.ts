/**
 * Runs the suites that need a real server. The kind names the variable with the server's address: `mysql` needs MYSQL_URL. A suite
 * that finds the program of its server starts one: `openbao` needs `bao` on PATH, or OPENBAO_BIN, and `mysqld` and `mariadbd` a
 * program of that name, or MYSQLD_BIN and MARIADBD_BIN. A kind without its variables is skipped loudly; `REQUIRE_LIVE=mysql,mongodb` makes that a failure. `across` runs over the servers that
 * are there.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { liveSuite, missingVariables, runsInPart } from './kinds.js'

const suites = readdirSync('packages', { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(`packages/${name}`, { withFileTypes: true, recursive: true }))
  .filter((entry) => !/node_modules|dist/.test(entry.parentPath))
  .flatMap(({ parentPath, name }) => {
    const kind = liveSuite.exec(name)?.[1]
    return kind === undefined ? [] : [{ path: `${parentPath}/${name}`, kind }]
  })

const isUp = (kind: string) => runsInPart(kind) || missingVariables(kind).length === 0

const runnable = suites.filter(({ kind }) => isUp(kind)).map(({ path }) => path)
let exitCode = 0
if (runnable.length > 0) {
  const env = { ...process.env, HABEAS_LIVE: '1' }
  exitCode = spawnSync('node_modules/.bin/vitest', ['run', ...runnable], { stdio: 'inherit', env }).status ?? 1
}

// Said last, and after the results, so that nobody overlooks it.
const required = (process.env['REQUIRE_LIVE'] ?? '').split(',').filter(Boolean)
for (const kind of new Set([...suites.map((suite) => suite.kind), ...required])) {
  const exists = suites.some((suite) => suite.kind === kind)
  if (exists && missingVariables(kind).length === 0) continue
  const reason = exists
    ? `set ${missingVariables(kind).join(', ')} to run ${isUp(kind) ? 'all of its suite' : 'its suites'}`
    : 'there is no live suite for it'
  const fails = required.includes(kind)
  if (fails) exitCode = 1
  console.log(`${fails ? 'FAILED ' : isUp(kind) ? 'IN PART' : 'SKIPPED'} ${kind}: ${reason}`)
}
if (runnable.length === 0) console.log('0 passed, 0 failed, 0 skipped')
process.exitCode = exitCode
