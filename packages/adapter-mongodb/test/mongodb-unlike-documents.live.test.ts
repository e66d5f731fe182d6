import { expect, it } from 'vitest'
import { ann, key, ownDatabase, owner, people, users } from './own-database.js'

const world = ownDatabase()
const bob = 'bob@example.com'

async function given(email: string) {
  const { requests } = world.of.privacy
  const { id } = await requests.submit({ policyKey: 'default_access_policy', identities: [{ email }] })
  const { status, incomplete = false, coverage } = await requests.settled(id)
  let text = ''
  for await (const part of requests.readPackage(id)) text += Buffer.from(part).toString()
  return { status, incomplete, coverage, got: JSON.parse(text) }
}

it('an object says whose its document is, also where another document holds a list there', async () => {
  await world.connected({
    users: people,
    reports: [
      { _id: 1, by: { email: ann }, blood: 'of Ann' },
      { _id: 2, by: { email: [ann, 'dora@example.org'] }, blood: 'of two' },
      { _id: 3, by: [{ email: bob }], blood: 'of Bob' },
    ],
  })
  const email = { name: 'email', service_meta: { data_type: 'string', identity: 'email' } }
  const by = { name: 'by', service_meta: { data_type: 'object' }, fields: [email] }
  const attached = await world.attached(users, { name: 'reports', fields: [key, owner('case'), by, { name: 'blood' }] })
  expect(attached.findings).toContainEqual(
    expect.objectContaining({ type: 'column_with_lists', loc: ['m', 'reports', 'by'] }),
  )
  const { dataset } = await world.of.privacy.connections.draftDataset('m')
  const drafted = dataset.collections.find(({ name }) => name === 'reports')?.fields.find(({ name }) => name === 'by')
  expect(drafted?.service_meta.data_type).toBe('object')

  const { status, incomplete, got } = await given(ann)
  expect([status, incomplete]).toEqual(['complete', true])
  expect(got['m:reports']).toEqual([
    { _id: 1, by: { email: ann }, blood: 'of Ann' },
    { _id: 2, by: { email: [ann] }, blood: 'of two' },
  ])
  expect(await given(bob)).toMatchObject({ incomplete: true, got: { not_searched: expect.anything() } })
  expect(await world.erased(bob)).toMatchObject({
    status: 'paused',
    actionRequired: { accept: { acceptUndecided: ['m:reports.by'] } },
  })
  expect(await world.erased(ann)).toMatchObject({ status: 'complete' })
  expect(await world.of.db.collection('reports').find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 1, by: { email: null }, blood: null },
    { _id: 2, by: { email: [null, 'dora@example.org'] }, blood: 'of two' },
    { _id: 3, by: [{ email: bob }], blood: 'of Bob' },
  ])
})
