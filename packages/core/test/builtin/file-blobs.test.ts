import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createPrivacyService, fileBlobs } from '@habeas/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

let directory: string

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'habeas-test-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(directory, { recursive: true })
})

async function* bytes(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

const filesIn = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

describe('fileBlobs', () => {
  it.runIf(process.platform !== 'win32')('lets only this user read', async () => {
    const root = join(directory, 'blobs')
    await fileBlobs({ directory: root }).write('run/1', bytes('content'))
    const [file] = await filesIn(root)
    expect((await stat(file!)).mode & 0o777).toBe(0o600)
    expect((await stat(root)).mode & 0o777).toBe(0o700)
    expect((await stat(join(root, 'run'))).mode & 0o777).toBe(0o700)
  })

  it('writes nothing outside its directory, whatever the key', async () => {
    const root = join(directory, 'a', 'b', 'c')
    const blobs = fileBlobs({ directory: root })
    for (const key of ['../../escape', '/tmp/escape', '..', '.', '..\\..\\escape', '\0', 'a/../../../../escape']) {
      await blobs.write(key, bytes('content'))
    }
    const files = await filesIn(directory)
    expect(files).toHaveLength(7)
    for (const file of files) expect(file.startsWith(root)).toBe(true)
  })

  it.each([true, false])('leaves no unfinished file behind (durable: %s)', async (durable) => {
    const blobs = fileBlobs({ directory, durable })
    await blobs.write('key', bytes('one', 'two'))
    const failing = (async function* () {
      yield Buffer.from('part')
      throw new Error('no more')
    })()
    await expect(blobs.write('key', failing)).rejects.toThrow('no more')
    expect(await filesIn(directory)).toEqual([join(directory, 'key.blob')])
  })

  it('serves what another one has written to the same directory', async () => {
    await fileBlobs({ directory }).write('run/1', bytes('content'))
    expect(await fileBlobs({ directory }).size('run/1')).toBe(7)
  })

  it('keeps giving the old content to a reader that has begun', async () => {
    const blobs = fileBlobs({ directory })
    await blobs.write('key', bytes('x'.repeat(600_000)))
    let length = 0
    for await (const chunk of blobs.read('key')) {
      if (length === 0) await blobs.write('key', bytes('new'))
      length += chunk.length
    }
    expect(length).toBe(600_000)
  })

  it('writes and deletes at the same time without failing', async () => {
    const blobs = fileBlobs({ directory })
    const turns = Array.from({ length: 40 }, async (_, turn) => {
      await blobs.write(`run/deep/${turn}`, bytes('content'))
      await blobs.delete('run')
    })
    await Promise.all(turns)
    expect(await filesIn(directory)).toEqual([])
  })

  it('removes what a killed process left unfinished a day ago, and nothing younger', async () => {
    await fileBlobs({ directory }).write('key', bytes('content'))
    const [old, young] = ['old', 'young'].map((name) => join(directory, '.unfinished', name))
    await writeFile(old!, '')
    await writeFile(young!, '')
    const longAgo = new Date(Date.now() - 25 * 60 * 60 * 1000)
    await utimes(old!, longAgo, longAgo)
    expect(await fileBlobs({ directory }).size('key')).toBe(7)
    expect(existsSync(old!)).toBe(false)
    expect(existsSync(young!)).toBe(true)
  })

  it('makes its temporary directory when something is written, and removes it when it is closed', async () => {
    vi.stubEnv('TMPDIR', directory)
    const blobs = fileBlobs()
    await blobs.delete('run')
    expect(await blobs.size('run/1')).toBeUndefined()
    await expect(blobs.read('run/1')[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'not_found' })
    expect(await readdir(directory)).toEqual([])
    await blobs.write('run/1', bytes('content'))
    expect(await readdir(directory)).toHaveLength(1)
    await blobs.close()
    await blobs.close()
    expect(await readdir(directory)).toEqual([])
    await expect(blobs.write('run/2', bytes('late'))).rejects.toMatchObject({ code: 'unavailable' })
  })

  it('leaves a directory of the host as it is when it is closed', async () => {
    const blobs = fileBlobs({ directory })
    await blobs.write('key', bytes('content'))
    await blobs.close()
    expect(await fileBlobs({ directory }).size('key')).toBe(7)
  })

  it('is closed with the service that made it', async () => {
    vi.stubEnv('TMPDIR', directory)
    const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32, 1).toString('base64') })
    const { id } = await privacy.requests.submit({
      policyKey: 'default_access_policy',
      identities: [{ email: 'a@example.org' }],
    })
    expect(await privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
    expect(await readdir(directory)).toHaveLength(1)
    await privacy.close()
    expect(await readdir(directory)).toEqual([])
  })

  it('removes its temporary directory when the process exits', async () => {
    const program = `
      import { readdirSync } from 'node:fs'
      import { fileBlobs } from '@habeas/core'
      for (const key of ['a', 'b']) await fileBlobs().write(key, [Buffer.from('content')])
      console.log(readdirSync(process.env.TMPDIR).filter((name) => name.startsWith('habeas-')).length)
    `
    const node = ['--conditions=@habeas/source', '--import', 'tsx', '--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, node, {
      env: { ...process.env, TMPDIR: directory },
      cwd: import.meta.dirname,
    })
    expect(stdout.trim()).toBe('2')
    expect((await readdir(directory)).filter((name) => name.startsWith('habeas-'))).toEqual([])
  })
})
