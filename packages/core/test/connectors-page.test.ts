import { readFileSync } from 'node:fs'
import { URL } from 'node:url'
import ts from 'typescript'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { createPrivacyService, defineConnector, filteredReads, type PrivacyService } from '../src/index.js'
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

it('has an example that finds a person', async () => {
  const [example = ''] = await readmeExamples(page)
  const opened: PrivacyService[] = []
  const encryptionKey = Buffer.alloc(32).toString('base64')
  const given = { createPrivacyService, defineConnector, filteredReads, z, encryptionKey, opened }
  await runExample(`${example}\nopened.push(privacy)`, given)
  const [privacy] = opened as [PrivacyService]
  await privacy.connections.attachDataset('guests', {
    service_key: 'guests',
    data_categories: ['user'],
    collections: [{ name: 'people', fields: [{ name: 'id' }, { name: 'email', service_meta: { identity: 'email' } }] }],
  })
  const identities = [{ email: 'ann@example.com' }]
  const { id } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
  const { status, results } = await privacy.requests.settled(id)
  expect(status).toBe('complete')
  expect(results).toMatchObject([{ collection: 'people', outcomes: [{ outcome: 'delivered', rowCount: 1 }] }])
  await privacy.close()
})
