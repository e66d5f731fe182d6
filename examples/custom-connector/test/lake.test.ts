import { execFile } from 'node:child_process'
import { appendFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Connection, type Erase, isPrivacyError, type KeyGroup, type Row } from '@habeas/core'
import { build } from 'esbuild'
import { afterAll, describe, expect, it } from 'vitest'
import { lakeConnector } from '../lake-connector.js'
import { newFolder, removeFolders } from './lake-under-test.js'

afterAll(removeFolders)

const run = promisify(execFile)

const schema = {
  key: ['id'],
  columns: [
    { name: 'id', kind: 'integer', nullable: false },
    { name: 'email', kind: 'string' },
    { name: 'name', kind: 'string' },
    { name: 'amount', kind: 'decimal' },
  ],
}

/** Three people, of whom Ann has rows on two days. */
const files = {
  'visits/_schema.json': JSON.stringify(schema),
  'visits/date=2026-01-01/part-0.jsonl': [
    '{"id":1,"email":"ann@example.com","name":"Ann","amount":0.1000000000000000000001}',
    '{"id":2 ,"email":"ann@example.com","name":"Ann", "amount":12345678901234567890, "more":{"x":[1,"}"]}}',
    '{"id":3,"email":"bob@example.com","name":"Bob","amount":1e400}',
    '',
  ].join('\n'),
  'visits/date=2026-01-02/part-0.jsonl': [
    '{"id":4,"email":"eve@example.com","name":"Eve","amount":null}\r',
    '',
    '{"name":"A\\u006en","id":5,"n\\u0061me":"Ann","email":"ann@example.com","amount":"7.50"}',
    '{"id":6,"email":"ann@example.com","name":null,"amount":1.0}',
  ].join('\n'),
  'visits/date=2026-01-03/part-0.jsonl': '{"id":7,"email":"eve@example.com","name":"Eve","amount":3}\n',
}

async function lakeWith(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await newFolder()
  for (const [path, text] of Object.entries({ ...files, ...more })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

const connect = async (folder: string, lockSeconds = 60) => lakeConnector({ lockSeconds }).connect({ folder })
const textsOf = async (folder: string) =>
  Object.fromEntries(
    await Promise.all(Object.keys(files).map(async (path) => [path, await readFile(join(folder, path), 'utf8')])),
  ) as typeof files

const by = (column: string, ...values: (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [values],
})
const ann = by('email', 'ann@example.com')
const annsNames: Erase = {
  ...{ collection: 'visits', key: ['id'], keys: [[1, 2, 5, 6]], anyOf: [ann] },
  set: [{ column: 'name', to: 'masked' }],
}

async function rowsOf(connection: Connection, columns: readonly string[], ...anyOf: KeyGroup[]): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of connection.read({ collection: 'visits', columns, anyOf })) rows.push(...batch)
  return rows
}

/** A program as one file, which starts in a fraction of a second. */
async function bundled(entry: string | { readonly contents: string; readonly resolveDir: string }): Promise<string> {
  const outfile = join(await newFolder(), 'program.mjs')
  await build({
    ...(typeof entry === 'string' ? { entryPoints: [entry] } : { stdin: entry }),
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', conditions: ['@habeas/source'] },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  return outfile
}

const failureOf = async (promise: Promise<unknown> | undefined) => {
  const error = await promise?.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isPrivacyError(error)) throw new Error(`It ended with ${error}`)
  return error
}

describe('reading', () => {
  it('gives what the names of folders say as columns, and opens no file that they rule out', async () => {
    const folder = await lakeWith()
    const connection = await connect(folder)
    expect(await rowsOf(connection, ['id', 'date', 'amount'], ann)).toEqual([
      [1, '2026-01-01', '0.1000000000000000000001'],
      [2, '2026-01-01', '12345678901234567890'],
      [5, '2026-01-02', '7.50'],
      [6, '2026-01-02', '1'],
    ])
    // In the middle, of which no sample is taken.
    await writeFile(join(folder, 'visits/date=2026-01-02/part-0.jsonl'), 'no JSON')
    expect(await rowsOf(connection, ['id'], by('date', '2026-01-03'))).toEqual([[7]])
  })

  it('describes what the schema says, what folders say, and what it has seen besides', async () => {
    const connection = await connect(await lakeWith({ 'loose/part-0.jsonl': '{"a":1,"b":"x"}\n{"a":"y","c":{"d":1}}' }))
    const { collections } = await connection.describe()
    const visits = collections.find(({ name }) => name === 'visits')
    expect(visits?.primaryKey).toEqual(['id'])
    expect(visits?.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ...schema.columns.map(({ name, kind }) => [name, kind]),
      ['date', 'string'],
      ['more', 'object'],
    ])
    const loose = collections.find(({ name }) => name === 'loose')
    expect(loose?.columns.map(({ name, kind }) => [name, kind])).toEqual([
      ['a', undefined],
      ['b', 'string'],
      ['c', 'object'],
    ])
    expect(collections.some(({ hidesRows }) => hidesRows)).toBe(false)
  })

  it('says so where files of another format may hide rows', async () => {
    const connection = await connect(await lakeWith({ 'visits/date=2026-01-04/part-0.parquet': 'PAR1' }))
    const { collections } = await connection.describe()
    expect(collections.map(({ hidesRows }) => hidesRows)).toEqual([true])
  })

  it('names a file that it cannot read, and no value of it', async () => {
    const broken = '{"id":1,"email":"planted@example.com"'
    const connection = await connect(await lakeWith({ 'visits/date=2026-01-09/part-0.jsonl': broken }))
    const failure = await failureOf(rowsOf(connection, ['id'], ann))
    expect(failure.details).toEqual({ reason: 'malformed_file' })
    expect(failure.message).toContain('part-0.jsonl')
    expect(JSON.stringify(failure)).not.toContain('planted')
  })

  it('leads to no file outside of the lake', async () => {
    const connection = await connect(join(await lakeWith(), 'visits'))
    const read = { collection: '../visits', columns: ['id'], anyOf: [ann] }
    expect((await failureOf(connection.count([read]))).details).toEqual({ reason: 'missing_collection' })
  })
})

describe('erasing', () => {
  it('changes the members of the rows that are named, and no other byte', async () => {
    const folder = await lakeWith()
    const connection = await connect(folder)
    const untouched = await stat(join(folder, 'visits/date=2026-01-03/part-0.jsonl'))
    await connection.erase?.(annsNames)
    const texts = await textsOf(folder)
    const [first, second, third] = Object.keys(files).slice(1) as [
      keyof typeof files,
      keyof typeof files,
      keyof typeof files,
    ]
    expect(texts[first]).toBe(files[first].replaceAll('"Ann"', '"masked"'))
    // A name that stands there twice is masked twice, and the last line ends now.
    const masked = files[second].replace('"A\\u006en"', '"masked"').replace('"Ann"', '"masked"')
    expect(texts[second]).toBe(`${masked}\n`)
    expect(texts[third]).toBe(files[third])
    expect((await stat(join(folder, third))).ino).toBe(untouched.ino)
    expect(await readdir(join(folder, 'visits'))).toEqual([
      '_schema.json',
      'date=2026-01-01',
      'date=2026-01-02',
      'date=2026-01-03',
    ])
  })

  it('refuses what readers of the lake would stumble over', async () => {
    const folder = await lakeWith()
    const connection = await connect(folder)
    const refusal = async (change: Partial<Erase>) =>
      (await failureOf(connection.erase?.({ ...annsNames, ...change }))).details
    expect(await refusal({ set: [{ column: 'amount', to: 'masked' }] })).toEqual({
      reason: 'refused',
      column: 'amount',
    })
    expect(await refusal({ set: [{ column: 'date', to: 'masked' }] })).toEqual({ reason: 'refused', column: 'date' })
    const more = [null, { x: [1, '}'] }, null, null]
    const [was, toEach] = [more, more.map((value) => value && { x: [2, '}'] })]
    await connection.erase?.({ ...annsNames, set: [{ column: 'more', toEach, was }] })
    expect((await textsOf(folder))['visits/date=2026-01-01/part-0.jsonl']).toContain('"more":{"x":[2,"}"]}}')
  })

  it('writes nothing once it is not confirmed, and leaves nothing behind', async () => {
    const folder = await lakeWith()
    const fence = { lock: 'lock', confirm: () => Promise.reject(new Error('overtaken')) }
    await expect((await connect(folder)).erase?.(annsNames, { fence })).rejects.toThrow('overtaken')
    expect(await textsOf(folder)).toEqual(files)
    expect(await readdir(join(folder, 'visits/date=2026-01-01'))).toEqual(['part-0.jsonl'])
  })

  it('leaves a file that something else has written meanwhile', async () => {
    const folder = await lakeWith()
    const path = 'visits/date=2026-01-01/part-0.jsonl'
    const added = '{"id":9,"email":"eve@example.com"}\n'
    const fence = { lock: 'lock', confirm: () => appendFile(join(folder, path), added) }
    const failure = await failureOf((await connect(folder)).erase?.(annsNames, { fence }))
    expect(failure.message).toContain('changed by something else')
    expect(await textsOf(folder)).toEqual({ ...files, [path]: files[path] + added })
  })

  it('waits for another process, and not for one that was killed', async () => {
    const folder = await lakeWith()
    const lock = (pid: number) => join(folder, `visits/_lock~${encodeURIComponent(hostname())}~${pid}~of-a-test`)
    await writeFile(lock(process.ppid), '')
    const impatient = await connect(folder, 0.2)
    const failure = await failureOf(impatient.erase?.(annsNames))
    expect(failure.details).toEqual({ reason: 'lock_timeout', transient: true })
    expect(await textsOf(folder)).toEqual(files)
    const patient = await connect(folder)
    const writing = patient.erase?.(annsNames)
    // No process has this number.
    await writeFile(lock(2 ** 30), '')
    await rm(lock(process.ppid))
    await writing
    expect(await readdir(join(folder, 'visits'))).not.toContainEqual(expect.stringContaining('_lock'))
    expect(await textsOf(folder)).not.toEqual(files)
  })

  it('reads and rewrites a file in a fraction of its size', async () => {
    const folder = await lakeWith()
    const line = `${JSON.stringify({ id: 8, email: 'eve@example.com', name: 'x'.repeat(1_000) })}\n`
    const large = join(folder, 'visits/date=2026-01-01/part-0.jsonl')
    for (let part = 0; part < 100; part++) await appendFile(large, `\n${line.repeat(2_000)}`)
    const program = await bundled({
      resolveDir: join(import.meta.dirname, '..'),
      contents: `
        import { lakeConnector } from './lake-connector.js'
        const connection = await lakeConnector().connect({ folder: process.argv[2] })
        const by = (email) => ({ fields: [{ path: ['email'] }], values: [[email]] })
        let rows = 0
        for await (const batch of connection.read({ collection: 'visits', columns: ['name'], anyOf: [by('eve@example.com')] }))
          rows += batch.length
        const names = { key: ['id'], keys: [[1]], anyOf: [by('ann@example.com')], set: [{ column: 'name', to: 'masked' }] }
        await connection.erase({ collection: 'visits', ...names })
        console.log(rows, process.resourceUsage().maxRSS)`,
    })
    const { stdout } = await run(process.execPath, ['--max-old-space-size=64', program, folder])
    const [rows, kibibytes] = stdout.split(' ').map(Number)
    expect(rows).toBe(200_002)
    const { size } = await stat(large)
    expect(size).toBeGreaterThan(200_000_000)
    expect((kibibytes as number) * 1024).toBeLessThan(size * 0.9)
    expect(await readFile(large, 'utf8')).toMatch(/^.*"masked"/)
  })

  it('loses nothing when it is killed at any call, and goes on afterwards', async () => {
    const program = await bundled(join(import.meta.dirname, 'erase-and-die.ts'))
    const kill = (folder: string, call: number) =>
      run(process.execPath, [program, folder, `${call}`]).then(
        () => 'ended',
        ({ signal }) => signal as string,
      )
    const seen = new Set<string>()
    let call = 1
    for (; ; call++) {
      const folder = await lakeWith()
      const end = await kill(folder, call)
      const connection = await connect(folder, 5)
      const rows = await rowsOf(connection, ['id', 'name', 'email', 'amount'], by('id', 1, 2, 3, 4, 5, 6, 7))
      const left = rows.map(([id]) => id)
      expect(left, `killed at call ${call}`).toEqual(left[0] === 1 ? [1, 2, 3, 4, 5, 6, 7] : [2, 3, 4, 5, 6, 7])
      for (const [id, name, email, amount] of rows) {
        const isAnn = email === 'ann@example.com'
        expect(isAnn ? ['Ann', 'masked', null] : ['Bob', 'Eve'], `row ${id}`).toContain(name)
        if (id === 2) expect(amount).toBe('12345678901234567890')
      }
      seen.add(JSON.stringify(rows))
      await connection.erase?.(annsNames)
      await connection.erase?.({ ...annsNames, set: 'delete' })
      expect(await rowsOf(connection, ['id'], ann)).toEqual([])
      expect(await rowsOf(connection, ['id'], by('id', 3, 4, 7))).toEqual([[3], [4], [7]])
      if (end === 'ended') break
      expect(end).toBe('SIGKILL')
    }
    expect(call).toBeGreaterThan(15)
    // As it was, without the first row, with one file masked, and with both.
    expect(seen.size).toBe(4)
  })
})
