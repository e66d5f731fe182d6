import { memoryConnector } from '@habeas/testkit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { servedService } from './service-calls.js'

const string = (name: string) => ({ name, kind: 'string' as const })
const database = () => ({
  person: {
    primaryKey: ['email'],
    columns: [string('email'), string('name'), string('nickname')],
    rows: [
      { email: 'ann@example.org', name: 'Ann', nickname: 'Annie' },
      { email: 'ben@example.org', name: 'Ben', nickname: 'Benny' },
    ],
  },
})
const person = {
  name: 'person',
  fields: [
    { name: 'email', data_categories: ['user.contact.email'], service_meta: { identity: 'email', primary_key: true } },
    { name: 'name', data_categories: ['user.name'] },
  ],
}
const coverage = {
  ...{ columns: ['crm:person.nickname'], tables: [], references: [], histories: [], hidden: [], unmasked: [] },
  collections: [],
}
const looked_for = [
  { property: 'email', spellings: ['as given', 'without regard to case'], fields: ['crm:person.email'] },
]

interface Told {
  readonly id: string
}

let connector: ReturnType<typeof memoryConnector>
let service: Awaited<ReturnType<typeof servedService>>
beforeEach(async () => {
  connector = memoryConnector({ database: database() })
  service = await servedService({ connectors: [connector] })
  const { call } = service
  await call('PATCH /api/v1/connection', { key: 'crm', connection_type: 'postgres', access: 'write' })
  await call('PUT /api/v1/connection/crm/secret?verify=false', { host: 'h' })
  await call('PATCH /api/v1/connection/crm/dataset', { service_key: 'crm', collections: [person] })
})
afterEach(() => service.privacy.close())

/** Erases, and tells what record, receipt and list say of it. */
async function erased(identity: object, accepts: object = {}) {
  const { call, privacy } = service
  const asked = { policy_key: 'default_erasure_policy', identities: [identity], ...accepts }
  const { body } = await call<Told>('POST /api/v1/privacy-request', asked)
  await privacy.requests.run()
  const path = `GET /api/v1/privacy-request/${body.id}`
  const record = (await call<Told>(path)).body
  const receipt = (await call<object>(`${path}/receipt`)).body
  const listed = (await call<{ items: readonly Told[] }>('GET /api/v1/privacy-request')).body.items
  // A list leaves results out.
  expect({ ...listed.find(({ id }) => id === body.id), results: null }).toEqual({ ...record, results: null })
  return { record, receipt }
}

describe('what an erasure has left, over HTTP', () => {
  it('includes an e-mail that stays as a key, and a column that nobody has described', async () => {
    const { record, receipt } = await erased({ email: 'ann@example.org' })
    const said = { identity_remains: ['crm:person.email'], coverage, looked_for: [], unconfirmed: [] }
    expect(record).toMatchObject({ status: 'complete', failure: null, found: null, ...said })
    expect(receipt).toMatchObject({ status: 'complete', found_nothing: false, incomplete: false, ...said })
    expect(connector.database['person']?.rows).toEqual([
      { email: 'ann@example.org', name: null, nickname: 'Annie' },
      { email: 'ben@example.org', name: 'Ben', nickname: 'Benny' },
    ])
  })

  it('is nothing where it has found nothing, and the record says by which properties it has searched', async () => {
    const { record, receipt } = await erased({ email: 'nobody@example.org' })
    const said = { looked_for, identity_remains: [], unconfirmed: [], coverage }
    expect(record).toMatchObject({ status: 'complete', failure: null, found: 'nothing', ...said })
    expect(receipt).toMatchObject({ found_nothing: true, totals: {}, ...said })
    expect(connector.database).toEqual(database())
  })

  it('includes a person with an e-mail address that nothing confirms together with a number', async () => {
    const accepts = { accept_unconfirmed: true, accept_unsearched: true }
    const { record, receipt } = await erased({ email: 'ann@example.org', shoe_size: 38 }, accepts)
    const said = { incomplete: true, unconfirmed: ['email', 'shoe_size'], looked_for: [], identity_remains: [] }
    expect(record).toMatchObject({ status: 'complete', failure: null, found: 'nothing', ...said })
    expect(receipt).toMatchObject({ found_nothing: true, ...said })
    expect(connector.database).toEqual(database())
  })
})
