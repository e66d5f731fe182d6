import { readFileSync } from 'node:fs'
import { URL } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import {
  applyProposals,
  type Connection,
  createPrivacyService,
  defineConnector,
  filteredReads,
  PrivacyError,
  rowMatcher,
  tupleMatcher,
  type Value,
} from '../src/index.js'
import { codes, pageTables } from './fixtures/documented-members.js'

const page = new URL('../../../docs/connectors.md', import.meta.url)
const tables = pageTables(readFileSync(page, 'utf8'))

/** The names in the first column of the table with this heading, and of those like it. */
const documented = (heading: string) =>
  tables
    .filter(([head]) => head?.[0] === heading)
    .flatMap(([, ...rows]) => rows.flatMap(([cell]) => codes(cell).map((code) => /^\w+/.exec(code)?.[0])))
    .sort()

/** The members of an interface, as its file says them. */
function members(file: string, name: string): string[] {
  const path = new URL(`../../${file}`, import.meta.url)
  const source = ts.createSourceFile(file, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022)
  const found = source.statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === name)
  if (!found || !ts.isInterfaceDeclaration(found)) throw new Error(`${file} has no ${name}`)
  return found.members.map((each) => (each.name as ts.Identifier).text)
}

it('names every capability, every member of a connection and every option of the contract', () => {
  const capabilities = members('core/src/ports/connector-capabilities.ts', 'ConnectorCapabilities')
  expect(documented('Capability')).toEqual(capabilities.sort())
  const connection = members('core/src/ports/connector.ts', 'Connection')
  const definition = [
    ...['type', 'name', 'category', 'capabilities', 'secretsSchema', 'secretAliases'],
    ...members('core/src/define-connector.ts', 'ConnectorDefinition'),
  ]
  expect(documented('Member')).toEqual([...connection, ...definition].sort())
  const contracts = 'testkit/src/contracts'
  const options = [
    ...members(`${contracts}/connector-under-test.ts`, 'ConnectorContractOptions'),
    ...members(`${contracts}/erase-under-test.ts`, 'EraseContractOptions'),
    ...members(`${contracts}/limited-source.ts`, 'SourceLimits'),
    ...members(`${contracts}/connector-under-test.ts`, 'Naming'),
    ...members(`${contracts}/deadline.ts`, 'Patience'),
  ]
  expect(documented('Option')).toEqual([...new Set(options)].sort())
})

const encryptionKey = Buffer.alloc(32).toString('base64')
const examples = await readmeExamples(page)

it('has an example that finds a person', async () => {
  const said: unknown[] = []
  await runExample(examples[0] as string, {
    ...{ applyProposals, createPrivacyService, defineConnector, filteredReads, z },
    process: { env: { HABEAS_ENCRYPTION_KEY: encryptionKey } },
    console: { log: (...line: unknown[]) => said.push(...line) },
  })
  expect(said).toEqual(['complete', [{ outcome: 'delivered', rowCount: 1 }]])
})

it('has an erase that changes one row per call, and only rows that are meant', async () => {
  type Row = Record<string, Value>
  type Patching = (source: object, patch: (row: Row, changes: Row) => Promise<void>) => Connection['erase']
  const made: { patching?: Patching } = {}
  const code = examples.find((each) => each.includes('function patching'))
  await runExample(`${code}\nmade.patching = patching`, { PrivacyError, rowMatcher, tupleMatcher, made })

  const people: Row[] = [
    { id: 1, email: 'ann@example.com', name: 'Ann' },
    { id: 2, email: 'bob@example.com', name: 'Bob' },
    { id: 3, email: 'since@example.com', name: 'Since' },
    { id: 4, email: 'Ann@example.com', name: null },
  ]
  const columns = [
    { name: 'id', kind: 'integer' },
    { name: 'email', kind: 'string' },
    { name: 'name', kind: 'string' },
  ] as const
  const source = {
    columns: () => columns,
    async *candidates() {
      yield people
    },
  }
  const reads = filteredReads(source)
  const erase = made.patching?.({ ...source, ...reads }, async (row, changes) => void Object.assign(row, changes))
  const asked = {
    collection: 'people',
    key: ['id'],
    keys: [[1, 3, 4]],
    anyOf: [{ fields: [{ path: ['email'] }], values: [['ann@example.com', 'Ann@example.com']] }],
    set: [
      { column: 'name', to: 'erased' },
      { column: 'email', toEach: ['one', 'three', 'four'] },
    ],
  }
  const confirmed: string[] = []
  const fence = { id: 'request', confirm: async () => void confirmed.push('before the write') }
  await expect(erase?.(asked, { rollBack: true })).rejects.toMatchObject({ code: 'unsupported' })
  await expect(erase?.({ ...asked, set: 'delete' })).rejects.toMatchObject({ code: 'unsupported' })
  people.push({ ...people[0] } as Row)
  await expect(erase?.({ ...asked, keys: [[1]], set: [{ column: 'name', to: null }] })).rejects.toMatchObject({
    details: { reason: 'ambiguous_rows' },
  })
  people.pop()
  await erase?.(asked, { fence: fence as never })
  expect(confirmed).toHaveLength(1)
  expect(people).toEqual([
    { id: 1, email: 'one', name: 'erased' },
    { id: 2, email: 'bob@example.com', name: 'Bob' },
    { id: 3, email: 'since@example.com', name: 'Since' },
    { id: 4, email: 'four', name: null },
  ])
})
