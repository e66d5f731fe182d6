/**
 * Makes one small mistake after another in a copy of the last commit, and runs the tests that have to notice it:
 * `npm run defects`, or `npm run defects -- hold-lease` for those in files of that name. Fails where one goes unnoticed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Defect, defects } from './defects.js'

const root = resolve(import.meta.dirname, '..')

/** A work tree with modules of its own: links in them to our packages have to lead to the copies. */
function copyTree(): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'habeas-defects-')), 'tree')
  git('worktree', 'add', '--quiet', '--detach', copy, 'HEAD')
  const modules = join(copy, 'node_modules')
  mkdirSync(join(modules, '@habeas'), { recursive: true })
  for (const name of readdirSync(join(root, 'node_modules'))) {
    // A cache of what the tests were compiled to, or results of theirs.
    if (name === '@habeas' || name.startsWith('.vite')) continue
    symlinkSync(join(root, 'node_modules', name), join(modules, name))
  }
  for (const name of readdirSync(join(copy, 'packages'))) {
    symlinkSync(join(copy, 'packages', name), join(modules, '@habeas', name))
  }
  return copy
}

function git(...words: readonly string[]): void {
  const { status, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`git ${words[0]} failed: ${stderr.trim()}`)
}

/** Whether each test file passes; a run that did not come to its end counts as an error of ours. */
function areGreen(copy: string, { tests, only }: Defect): boolean {
  const files = tests.map((test) => join('packages', test))
  const vitest = [
    join('node_modules', 'vitest', 'vitest.mjs'),
    'run',
    '--bail=1',
    ...files,
    ...(only ? ['-t', only] : []),
  ]
  const { status, stdout } = spawnSync(process.execPath, vitest, { cwd: copy, encoding: 'utf8' })
  const [, passed, failed] = /^(\d+) passed, (\d+) failed, \d+ skipped$/m.exec(stdout) ?? []
  if (Number(passed) + Number(failed) > 0) return status === 0
  throw new Error(`No test ran of ${tests.join(', ')}:\n${stdout}`)
}

/** Undefined: the tests noticed. */
function oversight(copy: string, defect: Defect): string | undefined {
  const { file, search, replace, tests } = defect
  const path = join(copy, 'packages', file)
  const text = readFileSync(path, 'utf8')
  if (text.split(search).length !== 2) return `its place is not there exactly once any more: ${search}`
  writeFileSync(
    path,
    text.replace(search, () => replace),
  )
  try {
    return areGreen(copy, defect) ? `unnoticed by ${tests.join(', ')}` : undefined
  } finally {
    writeFileSync(path, text)
  }
}

const asked = process.argv.slice(2)
const chosen = defects.filter(({ file }) => asked.length === 0 || asked.some((name) => file.includes(name)))
const copy = copyTree()
let caught = 0
try {
  for (const defect of chosen) {
    const complaint = oversight(copy, defect)
    if (complaint === undefined) caught++
    console.log(`${complaint === undefined ? 'caught' : 'MISSED'}  ${defect.file}: ${defect.what}`)
    if (complaint !== undefined) console.log(`        ${complaint}`)
  }
} finally {
  git('worktree', 'remove', '--force', copy)
  rmSync(resolve(copy, '..'), { recursive: true, force: true })
}
console.log(`${caught} of ${chosen.length} caught`)
process.exitCode = caught === chosen.length ? 0 : 1
