import { describe, expect, test } from 'vitest'
import { collection, field } from '../engine/described.js'
import { from, key, tableWith } from './described-erasure.js'
import { ann, bob, both, request, text } from './element-world.js'

/* What stands in one document is judged by that document, whatever stands there in others. */

const by = (email: unknown) => ({ email })
const member = (name: string, more: object = {}) => ({ name, type: '', nullable: true, ...more })
const live = (more: object) =>
  member('requestedBy', { kind: 'object', members: [member('email', { kind: 'string' })], ...more })

function reports(
  requested: readonly unknown[],
  { meta = {}, column = live({}), more = {}, appointment = null }: Given,
) {
  const rows = requested.map((each, at) => [at + 1, appointment, each, `blood ${at + 1}`])
  const table = tableWith(
    { id: 'integer', appointmentId: 'integer', requestedBy: 'object', blood: 'string' },
    rows as never,
  )
  const columns = (table.columns ?? []).map((each) => (each.name === 'requestedBy' ? column : each))
  const email = field('email', { data_type: 'string', identity: 'email' })
  return {
    collections: [
      collection('appointments', [key, from('userId', 'users.id')]),
      collection(
        'reports',
        [key, from('appointmentId', 'appointments.id'), field('requestedBy', meta, [], [email]), text('blood')],
        more as never,
      ),
    ],
    database: {
      appointments: tableWith({ id: 'integer', userId: 'integer' }, [[7, 3]]),
      reports: { ...table, columns, schemaless: true, sampled: requested.length },
    } as never,
  }
}
interface Given {
  readonly meta?: Readonly<Record<string, unknown>>
  readonly column?: object
  readonly more?: object
  readonly appointment?: number | null
}

const sampled = { meta: { data_type: 'object' }, column: live({ array: true, orObject: true }) }
const question = 'shop:reports.requestedBy'

describe('an object where other documents hold a list', () => {
  test.each<[string, Given]>([
    ['that the dataset calls an object', sampled],
    ['of which the dataset says nothing', { column: sampled.column }],
  ])('%s says whose its row is', async (_, given) => {
    const { end, got, rows, told } = await request(ann, reports([by(ann), [by(bob)]], given))
    expect([end.status, end.failure, end.incomplete]).toEqual(['complete', undefined, undefined])
    expect(got['shop:reports']).toEqual([{ requestedBy: { email: ann }, blood: 'blood 1' }])
    expect(told['shop:reports']).toBe('masked 1')
    expect(rows['reports']?.map(({ blood }) => blood)).toEqual([null, 'blood 2'])
  })

  test('says so where the dataset calls it an object and every sampled document holds a list', async () => {
    const shop = reports([by(ann), [by(bob)]], { ...sampled, column: live({ array: true }) })
    const { end, got } = await request(ann, shop, [both[0] as object])
    expect([end.status, end.incomplete]).toEqual(['complete', undefined])
    expect(got['shop:reports']).toEqual([{ requestedBy: { email: ann }, blood: 'blood 1' }])
  })

  test('is found where its member holds a list of addresses', async () => {
    const { end, got, rows } = await request(ann, reports([by([ann, bob]), by(ann), [by(bob)]], sampled))
    expect([end.status, end.incomplete]).toEqual(['complete', true])
    expect(end.results?.flatMap(({ otherValues = [] }) => otherValues.map(({ reference }) => reference))).toEqual([
      'shop:reports.requestedBy.email',
    ])
    expect(got['shop:reports']).toHaveLength(2)
    expect(rows['reports']?.[0]).toMatchObject({ requestedBy: { email: [null, bob] }, blood: 'blood 1' })
  })
})

describe('a list where other documents hold an object', () => {
  test.each<[string, Given]>([
    ['a row of nobody else', {}],
    ['a row of somebody else', { appointment: 7 }],
    [
      'a row of which another field says that it is somebody else’s',
      { appointment: 7, more: { owner: ['appointmentId'] } },
    ],
  ])('leaves its row undecided: %s', async (_, given) => {
    const shop = reports([[by(bob), by(ann)], by('cy@example.com')], { ...sampled, ...given })
    const { asked, got, rows } = await request(ann, shop)
    expect(asked?.accept).toEqual({ acceptUndecided: [question] })
    expect(asked?.message).toContain(
      "('requestedBy' is a list there, and the dataset does not say that it may be one). Say once in the dataset: `data_type: object[]` on shop:reports.requestedBy.",
    )
    expect(got).toEqual({})
    expect(rows['reports']?.[0]).toMatchObject({ requestedBy: [by(bob), by(ann)], blood: 'blood 1' })
  })

  test('is told apart by its elements once the dataset says that it is one', async () => {
    const shop = reports([[by(bob), by(ann)], by(bob)], { ...sampled, meta: { data_type: 'object[]' } })
    const { end, got } = await request(ann, shop)
    expect(end.failure ?? end.status).toBe('complete')
    expect(got['shop:reports']).toEqual([{ requestedBy: [by(ann)] }])
  })
})
