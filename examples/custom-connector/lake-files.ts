import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPlainObject, isPrivacyError, PrivacyError, type Value, type ValueKind } from '@habeas/core'
import { parseJson } from '@habeas/sql'
import * as z from 'zod'

export type LakeRow = Readonly<Record<string, Value>>

/** What `_schema.json` beside the files of a table says. Lines may hold more. */
const schemaOf = z.strictObject({
  key: z.array(z.string()).default([]),
  uniqueKeys: z.array(z.array(z.string())).default([]),
  columns: z.array(
    z.strictObject({
      name: z.string(),
      kind: z
        .enum([
          'integer',
          'decimal',
          'float',
          'boolean',
          'string',
          'uuid',
          'date',
          'timestamp',
          'datetime',
          'bytes',
          'object',
        ])
        .exactOptional(),
      nullable: z.boolean().default(true),
    }),
  ),
})

export type LakeSchema = z.infer<typeof schemaOf>

export interface LakeFile {
  readonly path: string
  /** What the names of its folders say, such as `date=2026-01-01`. */
  readonly partition: Readonly<Record<string, string>>
}

export interface LakeTable {
  readonly folder: string
  readonly files: readonly LakeFile[]
  readonly schema: LakeSchema
  /** Files of another format, or links, lie among them. */
  readonly hidesRows: boolean
}

const longestLine = 64 * 1024 * 1024

/** Names of tables: the folders of the lake. */
export async function tableNames(lake: string): Promise<string[]> {
  const entries = await readdir(lake, { withFileTypes: true }).catch(unreadable)
  return entries.filter((entry) => entry.isDirectory() && !isAside(entry.name)).map(({ name }) => name)
}

/** The table as it lies there now. Undefined where there is none. */
export async function lakeTable(lake: string, name: string): Promise<LakeTable | undefined> {
  // A name is looked for among the folders, so that it cannot lead elsewhere.
  if (!(await tableNames(lake)).includes(name)) return undefined
  const folder = join(lake, name)
  const files: LakeFile[] = []
  const hidesRows = await collect(folder, {}, files)
  const text = await readFile(join(folder, '_schema.json'), 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '{"columns":[]}'
    return unreadable(error)
  })
  const schema = schemaOf.safeParse(parsed(text))
  if (!schema.success) throw failed('malformed_schema', `The _schema.json of '${name}' is not as expected: correct it.`)
  return { folder, files, schema: schema.data, hidesRows }
}

/** Files and folders with such names are no data, as lakes have it. */
const isAside = (name: string): boolean => /^[._]/.test(name)

/** Adds the files below a folder. True when some of them cannot be read here. */
async function collect(folder: string, partition: LakeFile['partition'], files: LakeFile[]): Promise<boolean> {
  let hides = false
  const entries = await readdir(folder, { withFileTypes: true }).catch(unreadable)
  for (const entry of entries.sort((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (isAside(entry.name)) continue
    if (entry.isDirectory()) {
      const [, column, value] = /^([^=]+)=(.*)$/.exec(entry.name) ?? []
      const inner = column === undefined ? {} : { [decoded(column)]: decoded(value as string) }
      if (await collect(path, { ...partition, ...inner }, files)) hides = true
    } else if (entry.isFile() && entry.name.endsWith('.jsonl')) files.push({ path, partition })
    // A link among them: a rename would replace the link, and the rows would stay where it leads.
    else hides = true
  }
  return hides
}

/** Names of folders escape what a file system would not take. */
function decoded(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString())
}

/** The lines of a file, byte by byte as they are, without what ends them. Lines of blanks are left out. */
export async function* linesOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  let rest: Buffer[] = []
  let length = 0
  const stream = createReadStream(path, { highWaterMark: 256 * 1024, signal })
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let from = 0
      for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
        yield Buffer.concat([...rest, chunk.subarray(from, at)])
        rest = []
        length = 0
        from = at + 1
      }
      rest.push(chunk.subarray(from))
      length += chunk.length - from
      if (length > longestLine) throw failed('malformed_file', `A line of ${path} is longer than 64 MiB: split it.`)
    }
  } catch (error) {
    signal.throwIfAborted()
    unreadable(error)
  }
  if (length > 0) yield Buffer.concat(rest)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The text of a line. Undefined where it holds nothing. */
export function textOfLine(line: Buffer, path: string): string | undefined {
  try {
    const text = decoder.decode(line)
    return text.trim() === '' ? undefined : text
  } catch {
    throw malformed(path)
  }
}

/** The row that a line holds, in the kinds of the schema. */
export function rowOfLine(text: string, { path, partition }: LakeFile, kinds: ReadonlyMap<string, ValueKind>): LakeRow {
  const row = parsed(text)
  if (!isPlainObject(row)) throw malformed(path)
  for (const [name, kind] of kinds) {
    const value = row[name]
    if (kind === 'decimal' && typeof value === 'number') row[name] = String(value)
    if (kind === 'float' && typeof value === 'string') row[name] = Number(value)
  }
  return { ...(row as Record<string, Value>), ...partition }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

export function failed(reason: string, message: string): PrivacyError {
  return new PrivacyError('connection_failed', message, { reason })
}

const malformed = (path: string) => failed('malformed_file', `${path} holds a line that is no JSON object: correct it.`)

function unreadable(error: unknown): never {
  const { code, path } = error as NodeJS.ErrnoException
  if (code === undefined || isPrivacyError(error)) throw error
  const reason = code === 'ENOENT' ? 'missing_folder' : code === 'EACCES' ? 'permission_denied' : 'other'
  throw failed(
    reason,
    `${path ?? 'The lake'} cannot be read (${code}): check the folder and the rights of this process.`,
  )
}
