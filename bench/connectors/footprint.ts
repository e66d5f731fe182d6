import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { alternate, median, milliseconds } from '../measurement.js'

const root = fileURLToPath(new URL('../../', import.meta.url))
const run = promisify(execFile)

/** What a package and all that it depends on weigh when installed, Habeas' own packages left out. */
export function installSize(folder: string): { readonly megabytes: number; readonly packages: number } {
  const found = new Set<string>()
  const visit = (from: string) => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8')) as {
      readonly dependencies?: Readonly<Record<string, string>>
    }
    for (const name of Object.keys(dependencies)) {
      const at = name.startsWith('@habeas/')
        ? join(root, 'packages', name.slice('@habeas/'.length))
        : located(name, from)
      if (found.has(at)) continue
      found.add(at)
      visit(at)
    }
  }
  visit(join(root, 'packages', folder))
  const others = [...found].filter((path) => path.includes('node_modules'))
  return { megabytes: others.reduce((sum, path) => sum + bytesIn(path), 0) / 1024 / 1024, packages: others.length }
}

/** The folder of a package as Node finds it from another one, also where a module of Node has the same name. */
function located(name: string, from: string): string {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const place = join(folder, 'node_modules', name)
    if (statSync(join(place, 'package.json'), { throwIfNoEntry: false })) return place
  }
  throw new Error(`${name}, which ${from} depends on, is not installed.`)
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    if (entry.isDirectory()) return entry.name === 'node_modules' ? sum : sum + bytesIn(join(folder, entry.name))
    return entry.isFile() ? sum + statSync(join(folder, entry.name)).size : sum
  }, 0)
}

/** Milliseconds that importing a package takes, beyond those of a process that imports core alone. */
export async function loadTime(folder: string, rounds: number): Promise<number> {
  const importing = (names: readonly string[]) =>
    milliseconds(() => {
      const program = names.map((name) => `await import('@habeas/${name}')`).join('\n')
      return run(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: dirname(join(root, 'packages', folder, 'package.json')),
        env: { ...process.env, NODE_OPTIONS: '' },
      })
    })
  const [core, both] = await alternate(
    rounds,
    () => importing(['core']),
    () => importing(['core', folder]),
  )
  return median(both) - median(core)
}
