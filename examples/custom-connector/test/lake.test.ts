import { appendFile, chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Erase } from '@habeas/core'
import { afterAll, describe, expect, it } from 'vitest'
import { beginOf } from '../lake-lock.js'
import { ann, annsNames, by, connect, failureOf, files, lakeWith, rowsOf, schema, textsOf } from './lake-of-visits.js'
import { removeFolders } from './lake-under-test.js'

afterAll(removeFolders)

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

  it('says so where files of another format, or links, may hide rows', async () => {
    const folder = await lakeWith({ 'visits/date=2026-01-04/part-0.parquet': 'PAR1' })
    const linked = await lakeWith()
    await symlink(join(folder, 'visits/date=2026-01-01/part-0.jsonl'), join(linked, 'visits/linked.jsonl'))
    for (const lake of [folder, linked]) {
      const { collections } = await (await connect(lake)).describe()
      expect(collections.map(({ hidesRows }) => hidesRows)).toEqual([true])
    }
  })

  it('names a file that it cannot read, and no value of it', async () => {
    const broken = '{"id":1,"email":"planted@example.com"'
    const connection = await connect(await lakeWith({ 'visits/date=2026-01-09/part-0.jsonl': broken }))
    const failure = await failureOf(rowsOf(connection, ['id'], ann))
    expect(failure.details).toEqual({ reason: 'malformed_file' })
    expect(failure.message).toContain('part-0.jsonl')
    const long = `{"id":1,"note":"${'x'.repeat(65 * 1024 * 1024)}"}`
    const other = await connect(await lakeWith({ 'visits/date=2026-01-09/part-0.jsonl': long }))
    expect((await failureOf(rowsOf(other, ['id'], ann))).details).toEqual({ reason: 'malformed_file' })
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

  it('leaves the rights of a file as they were, whatever the umask of the process is', async () => {
    const folder = await lakeWith()
    const path = join(folder, 'visits/date=2026-01-01/part-0.jsonl')
    await chmod(path, 0o666)
    await (await connect(folder)).erase?.(annsNames)
    expect((await stat(path)).mode & 0o777).toBe(0o666)
  })

  it('changes a document with a text that is longer than any stack is deep', async () => {
    const text = 'x"\\'.repeat(4_000_000)
    const row = { id: 8, email: 'ann@example.com', more: { x: 1, text } }
    const folder = await lakeWith({ 'visits/date=2026-01-04/part-0.jsonl': JSON.stringify(row) })
    const set = [{ column: 'more', toEach: [{ x: 2, text }], was: [row.more] }]
    await (await connect(folder)).erase?.({ ...annsNames, keys: [[8]], set })
    const written = await readFile(join(folder, 'visits/date=2026-01-04/part-0.jsonl'), 'utf8')
    expect(written.trimEnd() === JSON.stringify({ ...row, more: { x: 2, text } })).toBe(true)
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
    const begin = await beginOf(process.ppid)
    const lock = (pid: number, began = begin) =>
      join(folder, `visits/_lock~${encodeURIComponent(hostname())}~${pid}~${began}~of-a-test`)
    await writeFile(lock(process.ppid), '')
    const impatient = await connect(folder, 0.2)
    const failure = await failureOf(impatient.erase?.(annsNames))
    expect(failure.details).toEqual({ reason: 'lock_timeout', transient: true })
    expect(await textsOf(folder)).toEqual(files)
    const patient = await connect(folder)
    const writing = patient.erase?.(annsNames)
    // No process has this number.
    await writeFile(lock(2 ** 30), '')
    // Other processes had these numbers.
    for (const pid of [process.pid, process.ppid]) await writeFile(lock(pid, '1'), '')
    await rm(lock(process.ppid))
    await writing
    expect(await readdir(join(folder, 'visits'))).not.toContainEqual(expect.stringContaining('_lock'))
    expect(await textsOf(folder)).not.toEqual(files)
  })
})
