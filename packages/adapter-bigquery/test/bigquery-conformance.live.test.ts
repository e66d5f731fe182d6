import { randomBytes } from 'node:crypto'
import { createPrivacyService } from '@habeas/core'
import { expect } from 'vitest'
import { type Case, conformance, sayWhenAbsent } from '../../core/test/conformance/bank.js'
import { type DatasetInput, manifestOf, neutralDatasets } from '../../core/test/conformance/datasets.js'
import { isErasureIn } from '../../core/test/conformance/query.js'
import { bigqueryConnector } from '../src/index.js'
import { emulatorEngine } from './double/emulator-engine.js'
import { openJobServer } from './double/job-server.js'
import { restOf } from './double/rest.js'
import { emulatorAddress } from './emulator-address.js'
import { project, secretsOf } from './emulator-fixture.js'

sayWhenAbsent()

/** What the case says of statements is prose, except that some inputs lead to none. */
interface Expected {
  readonly address: string
  readonly employee_delete: string
  readonly delete_without_inputs: readonly string[]
  readonly delete_null_inputs: readonly string[]
  readonly delete_uncastable_inputs: readonly string[]
}

const used = ['address', 'employee', 'customer', 'customer_profile']

const definitions = [
  'address (id STRING, house STRING, street STRING, city STRING, state STRING, zip STRING)',
  'employee (id STRING, email STRING, name STRING, address_id INT64)',
  `customer (id STRING, email STRING, name STRING, address_id STRING, created STRING, \`custom id\` STRING, tags ARRAY<STRING>,
    extra_address_data STRUCT<city STRING, house STRING, id INT64, state STRING, street STRING, address_id INT64>,
    purchase_history ARRAY<STRUCT<item_id STRING, price FLOAT64, purchase_date STRING, item_tags ARRAY<STRING>>>)`,
  'customer_profile (id STRING, contact_info STRUCT<primary_email STRING, phone_number STRING>, address STRING)',
]

/** A person whose address has this id, and somebody else. */
function rowsOf(person: string, addressId: string | null, employs: boolean): readonly string[] {
  const text = (value: string | null) => (value === null ? 'cast(null as string)' : `'${value}'`)
  const extra = `struct('Oslo' as city, '1' as house, 7 as id, 'O' as state, 'S 1' as street, 8 as address_id)`
  const customer = (id: string, email: string, address: string | null) =>
    `insert into T.customer (id, email, name, address_id, tags, extra_address_data) values
      ('${id}', '${email}', 'Name', ${text(address)}, ['t'], ${extra})`
  const address = (id: string) => `insert into T.address values ('${id}', '1', 'S 1', 'Oslo', 'O', '0150')`
  return [
    ...(addressId === null ? [] : [address(addressId)]),
    address('2'),
    customer('c1', person, addressId),
    customer('c2', 'other@example.com', '2'),
    ...(employs ? [`insert into T.employee values ('e1', '${person}', 'Name', 1)`] : []),
    `insert into T.employee values ('e2', 'other@example.com', 'Name', 2)`,
    `insert into T.customer_profile values ('p1', struct('${person}' as primary_email, '1' as phone_number), 'S 1')`,
    `insert into T.customer_profile values ('p2', struct('other@example.com' as primary_email, '2' as phone_number), 'S 2')`,
  ]
}

/** Erases a person from the tables of the case, on the emulator. */
async function erased(input: DatasetInput, email: string, rows: readonly string[]) {
  if (!emulatorAddress) throw new Error('BIGQUERY_EMULATOR_HOST names no server')
  const rest = restOf(emulatorAddress)
  const dataset = `habeas_${randomBytes(6).toString('hex')}`
  const run = (query: string) =>
    rest('POST', `/projects/${project}/jobs`, { configuration: { query: { query, useLegacySql: false } } })
  await rest('POST', `/projects/${project}/datasets`, {
    datasetReference: { projectId: project, datasetId: dataset },
  })
  const place = `\`${project}\`.\`${dataset}\``
  for (const definition of definitions) await run(`create table ${place}.${definition}`)
  for (const row of rows) await run(row.replace('T.', `${place}.`))
  const engine = emulatorEngine(emulatorAddress, project)
  const server = await openJobServer(engine)
  const privacy = createPrivacyService({
    encryptionKey: randomBytes(32).toString('base64'),
    connectors: [bigqueryConnector({ apiEndpoint: server.address })],
  })
  try {
    await privacy.connections.put({ key: 'warehouse', connectionType: 'bigquery', access: 'write' })
    await privacy.connections.setSecrets('warehouse', secretsOf(dataset))
    const [neutral] = neutralDatasets(input)
    const collections = neutral?.collections.filter((each) => used.includes(String(each['name']))) ?? []
    await privacy.connections.attachDataset('warehouse', manifestOf({ ...neutral!, collections }) as never)
    const values = ['user.contact', 'user.name']
    const rule = { service_key: 'all', action_type: 'erasure', data_categories: { matches: 'ANY', values } }
    await privacy.policies.put({ service_key: 'erase', rules: [rule as never] })
    const { id } = await privacy.requests.submit({ policyKey: 'erase', identities: [{ email }] })
    const settled = await privacy.requests.settled(id)
    const left = async (name: string) => {
      const result = await engine.run(`select to_json_string(t) from ${place}.${name} as t order by id`, [])
      return (await result.rows(0, 100)).map(({ f }) => JSON.parse(String(f[0]!.v)))
    }
    const written = server.jobs.flatMap(({ configuration }) => configuration.query.query.split('\n'))
    const statements = (verb: string) => written.filter((line) => line.startsWith(verb))
    return {
      settled,
      updates: statements('update'),
      deletes: statements('delete'),
      left: Object.fromEntries(await Promise.all(used.map(async (name) => [name, await left(name)] as const))),
    }
  } finally {
    await privacy.close()
    await server.close()
    await rest('DELETE', `/projects/${project}/datasets/${dataset}?deleteContents=true`)
  }
}

const email = 'person@example.com'
/** Statements that write to a table. */
const on = (name: string, statements: readonly string[]) =>
  statements.filter((statement) => new RegExp(`^(?:update|delete from) (?:\`[^\`]+\`\\.)+\`${name}\` `).test(statement))

/** Rows are named by the values that found them and by everything that was read of them. */
async function check({ input, expected }: Case<DatasetInput, Expected>): Promise<void> {
  const { settled, left, updates, deletes } = await erased(input, email, rowsOf(email, '1', true))
  expect(settled, expected.address).toMatchObject({ status: 'complete' })
  const [address, ...others] = on('address', updates)
  expect(others).toEqual([])
  for (const column of ['house', 'street', 'city', 'state', 'zip']) {
    expect(address).toMatch(new RegExp(`set .*\`${column}\` = .* where .*to_json_string\\(struct\\(.*\`${column}\``))
  }
  expect(address).toMatch(/`id` in unnest\(@p\d+\)/)
  expect(left['address']).toEqual([
    { id: '1', house: null, street: 'REDACTED', city: null, state: null, zip: null },
    { id: '2', house: '1', street: 'S 1', city: 'Oslo', state: 'O', zip: '0150' },
  ])
  const [employee, ...more] = on('employee', deletes)
  expect(more, expected.employee_delete).toEqual([])
  expect(employee).toMatch(/to_json_string\(struct\(.*`email`.*`name`/)
  expect(employee).toMatch(/`email`.* in unnest\(@p\d+\)/)
  expect(left['employee']).toEqual([{ id: 'e2', email: 'other@example.com', name: 'Name', address_id: 2 }])
  // a STRUCT is written anew, and what nobody asks for stays in it
  const [first, second] = left['customer'] ?? []
  expect(first).toMatchObject({ email, name: null, tags: ['t'] })
  expect(first.extra_address_data).toEqual({
    ...{ city: null, house: null, state: null, street: null },
    ...{ id: 7, address_id: 8 },
  })
  expect(second).toMatchObject({ name: 'Name', extra_address_data: { city: 'Oslo', id: 7 } })
  expect(left['customer_profile']).toEqual([
    { id: 'p1', contact_info: { primary_email: null, phone_number: null }, address: null },
    { id: 'p2', contact_info: { primary_email: 'other@example.com', phone_number: '2' }, address: 'S 2' },
  ])
  const unknown = await erased(input, 'nobody@example.com', rowsOf(email, '1', true))
  expect(unknown.deletes).toEqual(expected.delete_without_inputs)
  const withoutAddress = await erased(input, email, rowsOf(email, null, false))
  expect(withoutAddress.deletes).toEqual(expected.delete_null_inputs)
  const uncastable = await erased(input, email, rowsOf(email, 'no number', false))
  expect(uncastable.deletes).toEqual(expected.delete_uncastable_inputs)
}

conformance('query', check, isErasureIn('bigquery'))
