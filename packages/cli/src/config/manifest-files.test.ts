import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exitCodes } from '../command-end.js'
import { manifestFiles } from './manifest-files.js'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'habeas-files-'))
  mkdirSync(join(folder, 'habeas'))
  writeFileSync(join(folder, 'habeas/a.yml'), 'dataset: []\n')
})
afterEach(() => rmSync(folder, { recursive: true }))

const leavesSocket = `net.createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`

const read = () => manifestFiles({ folder, files: ['habeas'] })

it('reads the files of a folder', () => {
  expect(read()).toEqual([{ file: 'habeas/a.yml', text: 'dataset: []\n' }])
})

it.each<[string, (path: string) => void, string]>([
  ['a folder', (path) => mkdirSync(path), "'habeas/x.yml' is no file: give it another name, or take it away."],
  [
    'a socket',
    // its name stays where its process is killed
    (path) => spawnSync(process.execPath, ['-e', leavesSocket, path]),
    "'habeas/x.yml' is no file: give it another name, or take it away.",
  ],
  ['a link to nothing', (path) => symlinkSync('away', path), "'habeas/x.yml' cannot be read (ENOENT)"],
])('%s with the name of a file is refused', (_, make, message) => {
  make(join(folder, 'habeas/x.yml'))
  expect(read).toThrow(
    expect.objectContaining({ exitCode: exitCodes.usage, message: expect.stringContaining(message) }),
  )
})
