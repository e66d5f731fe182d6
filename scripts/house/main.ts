/**
 * Prints figures about the code: `npm run house` about sources and one erasure, `npm run house tests` also the CPU
 * seconds of each test project, which takes as long as the tests do.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { erasureTrace } from './erasure-trace.js'
import { importCircles, sourceFigures } from './source-figures.js'

const packages = readdirSync('packages')
const paths = packages.flatMap((folder) =>
  readdirSync(`packages/${folder}/src`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => `packages/${folder}/src/${path}`)
    .sort(),
)
const figures = paths.map(sourceFigures)
const codeLines = figures.map((each) => each.codeLines).sort((a, b) => a - b)
const percentile = (share: number) => codeLines[Math.ceil(share * codeLines.length) - 1] ?? 0
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0)

heading('Sources of packages, without tests')
row('files', figures.length)
row('lines', sum(figures.map(({ lines }) => lines)))
row('lines of code, without comments and blank lines', sum(codeLines))
row('lines of code in a file, median', percentile(0.5))
row('lines of code in a file, 90th percentile', percentile(0.9))
row('files that are not named for an export', figures.filter((each) => !each.isNamedForExport).length)
for (const folder of packages) {
  const own = figures.filter(({ path }) => path.startsWith(`packages/${folder}/`))
  row(`lines of code in ${folder}`, sum(own.map((each) => each.codeLines)))
}
const circles = importCircles(paths)
row('circles of imports', circles.length)
for (const circle of circles) console.log(`    ${circle}`)

heading('One erasure of a person in two tables')
const { files, parsesPerRow } = await erasureTrace()
row('files of which a function runs', files.length)
row('times a found row is parsed', Number(parsesPerRow.toFixed(2)))

if (process.argv.includes('tests')) {
  heading('CPU seconds of the tests')
  const listed = spawnSync('node_modules/.bin/vitest', ['list', '--filesOnly', '--json'], { encoding: 'utf8' })
  const projects = new Set((JSON.parse(listed.stdout) as { projectName: string }[]).map((each) => each.projectName))
  let total = 0
  for (const project of projects) {
    const seconds = cpuSeconds(project)
    total += seconds
    row(project, Math.round(seconds))
  }
  row('all', Math.round(total))
}

/** User and system time of one project's tests, as the shell counts it. */
function cpuSeconds(project: string): number {
  const command = `node_modules/.bin/vitest run --project '${project}' > /dev/null 2>&1; times`
  const { stdout } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  const [, ofChildren = ''] = stdout.trim().split('\n')
  return sum(
    [...ofChildren.matchAll(/(\d+)m([\d.]+)s/g)].map(([, minutes, rest]) => Number(minutes) * 60 + Number(rest)),
  )
}

function heading(text: string): void {
  console.log(`\n${text}`)
}

function row(name: string, value: number): void {
  console.log(`  ${name.padEnd(56)} ${String(value).padStart(8)}`)
}
