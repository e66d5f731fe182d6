import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Connection, type Erase, isPrivacyError, type KeyGroup, type Row } from '@habeas/core'
import { lakeConnector } from '../lake-connector.js'
import { newFolder } from './lake-under-test.js'

export const schema = {
  key: ['id'],
  columns: [
    { name: 'id', kind: 'integer', nullable: false },
    { name: 'email', kind: 'string' },
    { name: 'name', kind: 'string' },
    { name: 'amount', kind: 'decimal' },
  ],
}

/** Three people, of whom Ann has rows on two days. */
export const files = {
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

export async function lakeWith(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await newFolder()
  for (const [path, text] of Object.entries({ ...files, ...more })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return folder
}

export const connect = async (folder: string, lockSeconds = 60) => lakeConnector({ lockSeconds }).connect({ folder })
export const textsOf = async (folder: string) =>
  Object.fromEntries(
    await Promise.all(Object.keys(files).map(async (path) => [path, await readFile(join(folder, path), 'utf8')])),
  ) as typeof files

export const by = (column: string, ...values: (string | number)[]): KeyGroup => ({
  fields: [{ path: [column] }],
  values: [values],
})
export const ann = by('email', 'ann@example.com')
export const annsNames: Erase = {
  ...{ collection: 'visits', key: ['id'], keys: [[1, 2, 5, 6]], anyOf: [ann] },
  set: [{ column: 'name', to: 'masked' }],
}

export async function rowsOf(connection: Connection, columns: readonly string[], ...anyOf: KeyGroup[]): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of connection.read({ collection: 'visits', columns, anyOf })) rows.push(...batch)
  return rows
}

export const failureOf = async (promise: Promise<unknown> | undefined) => {
  const error = await promise?.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!isPrivacyError(error)) throw new Error(`It ended with ${error}`)
  return error
}
