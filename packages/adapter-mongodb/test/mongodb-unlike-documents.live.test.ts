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

it('members with a dot in their names are asked about, and delivered and erased once they are described', async () => {
  const notes = [
    { _id: 1, user: 1, a: { b: 'b', 'x.y': 'secret' }, l: [] },
    { _id: 2, user: 1, l: [{ 'author.id': 2, text: 'of Bob' }] },
  ]
  await world.connected({ users: people, notes })
  const described = (...more: object[]) => ({
    name: 'notes',
    fields: [key, owner('user'), { name: 'a', fields: [{ name: 'b' }, ...more] }, { name: 'l' }],
  })
  await world.attached(users, described())
  const { coverage, incomplete, got } = await given(ann)
  expect(coverage?.columns).toContain('m:notes.a.x.y')
  expect([incomplete, JSON.stringify(got).includes('of Bob')]).toEqual([true, false])

  await world.attached(users, described({ name: 'x.y' }))
  expect((await given(ann)).got['m:notes']).toEqual([
    { _id: 1, user: 1, a: { b: 'b', 'x.y': 'secret' } },
    { _id: 2, user: 1 },
  ])
  const { id, status, actionRequired } = await world.erased(ann)
  expect([status, actionRequired?.accept]).toEqual(['paused', { acceptUndecided: ['m:notes.l.author.id'] }])
  await world.of.privacy.requests.accept(id, { acceptUndecided: true })
  expect(await world.of.privacy.requests.settled(id)).toMatchObject({ status: 'complete' })
  const left = await world.of.db.collection('notes').find().sort({ _id: 1 }).toArray()
  expect(left).toMatchObject([{ a: { b: null, 'x.y': null } }, notes[1]])
})
