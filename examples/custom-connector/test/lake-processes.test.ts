import { execFile } from 'node:child_process'
import { appendFile, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, expect, it } from 'vitest'
import { ann, annsNames, by, connect, lakeWith, rowsOf } from './lake-of-visits.js'
import { newFolder, removeFolders } from './lake-under-test.js'

afterAll(removeFolders)

const run = promisify(execFile)

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

it('loses no write when several processes write to one file', async () => {
  const ids = Array.from({ length: 40 }, (_, at) => at + 1)
  const path = 'visits/date=2026-01-01/part-0.jsonl'
  const lines = ids.map((id) => JSON.stringify({ id, email: 'ann@example.com', name: 'Ann' }))
  const [other, third] = [path.replace('-01/', '-02/'), path.replace('-01/', '-03/')]
  const folder = await lakeWith({ [path]: `${lines.join('\n')}\n`, [other]: '', [third]: '' })
  const program = await bundled({
    resolveDir: join(import.meta.dirname, '..'),
    contents: `
      import { lakeConnector } from './lake-connector.js'
      const [, , folder, from] = process.argv
      const connection = await lakeConnector().connect({ folder })
      const anyOf = [{ fields: [{ path: ['email'] }], values: [['ann@example.com']] }]
      const set = [{ column: 'name', to: 'masked' }]
      for (let id = Number(from); id <= 40; id += 4)
        await connection.erase({ collection: 'visits', key: ['id'], keys: [[id]], anyOf, set })`,
  })
  await Promise.all([1, 2, 3, 4].map((from) => run(process.execPath, [program, folder, `${from}`])))
  const rows = await rowsOf(await connect(folder), ['id', 'name'], ann)
  expect(rows).toEqual(ids.map((id) => [id, 'masked']))
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
