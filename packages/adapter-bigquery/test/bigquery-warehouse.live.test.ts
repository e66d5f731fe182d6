import { randomBytes } from 'node:crypto'
import { applyProposals, createPrivacyService, type PrivacyService } from '@habeas/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bigqueryConnector } from '../src/index.js'
import { emulatorEngine } from './double/emulator-engine.js'
import { type JobServer, openJobServer } from './double/job-server.js'
import { type Rest, RestError, restOf } from './double/rest.js'
import { emulatorAddress } from './emulator-address.js'
import { project, secretsOf } from './emulator-fixture.js'
import { definitions, delivered, erased, literal, people, type Row, schemas, sorted, warehouse } from './warehouse.js'

describe('a warehouse, on an emulator', () => {
  const address = emulatorAddress
  if (!address) throw new Error('BIGQUERY_EMULATOR_HOST names no server')
  const dataset = `habeas_${randomBytes(6).toString('hex')}`
  const table = (name: string) => `\`${project}\`.\`${dataset}\`.\`${name}\``
  let rest: Rest
  let server: JobServer
  let privacy: PrivacyService

  const query = (text: string) =>
    rest('POST', `/projects/${project}/jobs`, { configuration: { query: { query: text, useLegacySql: false } } })

  async function rows(name: string): Promise<unknown[]> {
    const result = await emulatorEngine(address!, project).run(`select to_json_string(t) from ${table(name)} as t`, [])
    const texts = (await result.rows(0, 100)).map(({ f }) => String(f[0]!.v))
    return sorted(texts.map((text) => JSON.parse(text.replaceAll(/(?<=:)(\d{16,})/g, '"$1"'))))
  }

  beforeAll(async () => {
    rest = restOf(address)
    await rest('POST', `/projects/${project}/datasets`, {
      datasetReference: { projectId: project, datasetId: dataset },
    })
    for (const [name, definition] of Object.entries(definitions)) {
      await query(`create table ${table(name)} (${definition})`)
      const fields = schemas[name]
      if (fields) await rest('PATCH', `/projects/${project}/datasets/${dataset}/tables/${name}`, { schema: { fields } })
      for (const row of warehouse[name]!) {
        const columns = Object.entries(row).filter(([, value]) => !Array.isArray(value) || value.length > 0)
        const values = columns.map(([column, value]) => literal(value, column))
        await query(
          `insert into ${table(name)} (${columns.map(([column]) => column).join(', ')}) values (${values.join(', ')})`,
        )
      }
    }
    const engine = emulatorEngine(address, project)
    // the emulator knows no partitions
    const divided = { timePartitioning: { type: 'DAY', field: 'placed_on' }, requirePartitionFilter: true }
    const answer = async (method: string, path: string) => {
      const found = await engine.answer(method, path)
      return /\/tables\/orders(?:\?|$)/.test(path) ? { ...(found as object), ...divided } : found
    }
    server = await openJobServer({ ...engine, answer })
    server.rules.push((statement) =>
      statement.includes('`orders`') && !/^(?!.*exists \(select.*`placed_on`).*`placed_on` >= @/s.test(statement)
        ? new RestError(400, 'invalidQuery', 'that can be used for partition elimination')
        : undefined,
    )
    privacy = createPrivacyService({
      execution: { retryMinutes: 0 },
      encryptionKey: randomBytes(32).toString('base64'),
      connectors: [bigqueryConnector({ apiEndpoint: server.address })],
    })
    await privacy.connections.put({ key: 'dwh', connectionType: 'bigquery', access: 'write' })
    await privacy.connections.setSecrets('dwh', secretsOf(dataset))
  })
  afterAll(async () => {
    await privacy?.close()
    await server?.close()
    await rest?.('DELETE', `/projects/${project}/datasets/${dataset}?deleteContents=true`)
  })

  it('is drafted, with members, and described by what people answer', async () => {
    const { dataset: drafted, proposals } = await privacy.connections.draftDataset('dwh')
    const identities = proposals.filter(({ kind }) => kind === 'identity').map(({ id }) => id)
    expect(identities).toEqual(['customers.email:identity', 'events.user.email:identity', 'newsletter.email:identity'])
    const accept = [...identities, 'customers.name:category']
    const described = applyProposals(drafted, proposals, { accept }) as unknown as { collections: Described[] }
    const at = (path: string) => memberAt(described.collections, path.split('.'))
    for (const key of ['customers.id', 'events.event_id', 'visits.visit_id', 'orders.order_id']) {
      at(key).service_meta['primary_key'] = true
    }
    const person = [{ dataset: 'dwh', field: 'customers.id', direction: 'from' }]
    for (const path of ['events.user.id', 'visits.sessions.customer_id', 'orders.customer_id']) {
      at(path).service_meta['references'] = person
    }
    at('orders.note').data_categories = ['user']
    at('events.payload').fields = [{ name: 'ref', data_categories: ['user'], service_meta: {}, fields: [] }]
    at('visits').service_meta['on_shared'] = 'erase'
    at('orders').service_meta['partition_filter'] = [{ field: 'placed_on', start: '2025-01-01' }]
    await privacy.connections.attachDataset('dwh', described as never)
    for (const action_type of ['access', 'erasure'] as const) {
      const rule = { service_key: 'all', action_type, data_categories: { matches: 'ANY', values: ['user'] } }
      await privacy.policies.put({ service_key: action_type, rules: [rule as never] })
    }
  })

  it.each(people.map((person) => [person.name, person] as const))(
    'hands over to %s what an oracle finds',
    async (_, person) => {
      const request = await settled('access', person)
      expect(request).toMatchObject({ status: 'complete' })
      let text = ''
      for await (const part of privacy.requests.readPackage(request.id)) text += Buffer.from(part).toString()
      const parts = Object.entries(JSON.parse(text)).filter(([name]) => name.startsWith('dwh:'))
      const found = parts.map(([name, rows]) => [name.slice('dwh:'.length), sorted(rows as Row[])])
      expect(Object.fromEntries(found)).toEqual(delivered(person))
    },
  )

  it('loses what an oracle erases, person by person, and nothing else', async () => {
    let expected = warehouse
    for (const person of people) {
      expect(await settled('erasure', person)).toMatchObject({ status: 'complete' })
      expected = erased(expected, person)
      for (const name of Object.keys(definitions)) {
        expect(await rows(name), `${name} after ${person.name}`).toEqual(sorted(expected[name]!))
      }
    }
  })

  async function settled(policyKey: string, { email }: Row) {
    const { id } = await privacy.requests.submit({ policyKey, identities: [{ email: String(email) }] })
    return privacy.requests.settled(id)
  }
})

interface Described {
  readonly name: string
  data_categories: string[]
  service_meta: Record<string, unknown>
  fields: Described[]
}

function memberAt(among: readonly Described[], [name, ...rest]: readonly string[]): Described {
  const found = among.find((each) => each.name === name)
  if (!found) throw new Error(`${name} was not drafted`)
  return rest.length === 0 ? found : memberAt(found.fields, rest)
}
