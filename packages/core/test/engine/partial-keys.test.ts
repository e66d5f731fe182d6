import { describe, expect, it } from 'vitest'
import { collection, field, id, shopOf, table, undirected } from './described.js'
import { accessTo, email } from './whose-access.js'

const ann = { email: 'ann@example.com' }
const group = { group: 'member' }
const from = { direction: 'from' } as const

/** Members of teams, and notes that name a member by both columns; of some notes one of them is missing. */
function shop(reference: object, more: { readonly owner?: readonly string[]; readonly others?: object[] } = {}) {
  const { owner, others = [] } = more
  return shopOf(
    [
      collection('member', [field('team', { primary_key: true }), field('no', { primary_key: true }), email]),
      collection(
        'note',
        [
          id,
          undirected('team', 'member.team', { ...group, ...reference }),
          undirected('no', 'member.no', { ...group, ...reference }),
          ...others,
        ],
        owner && { owner },
      ),
      collection('person', [id, email]),
    ],
    {
      member: table(
        { team: 'integer', no: 'integer', email: 'string' },
        [
          [1, 1, 'ann@example.com'],
          [1, 2, 'ben@example.com'],
        ],
        ['team', 'no'],
      ),
      note: {
        ...table({ id: 'integer', team: 'integer', no: 'integer', person_id: 'integer' }, [
          [1, 1, 1, null],
          [2, 1, null, 7],
          [3, null, 1, 7],
          [4, null, null, 7],
          [5, 1, 2, 8],
          [6, 1, null, 8],
        ]),
        indexes: [['team', 'no'], ['person_id']],
      },
      person: table({ id: 'integer', email: 'string' }, [
        [7, 'ann@example.com'],
        [8, 'ben@example.com'],
      ]),
    },
  )
}

describe('a reference over several columns of which some are empty', () => {
  it('says nothing: the row is neither found by it nor counted, and the record is whole', async () => {
    const { got, undecided, others, request } = await accessTo([shop(from)], ann)
    expect({ got, undecided, others }).toEqual({
      got: { member: [1], note: [1], person: [7] },
      undecided: {},
      others: {},
    })
    expect(request.incomplete ?? false).toBe(false)
    expect(request.coverage?.columns ?? []).toEqual(['shop:note.person_id'])
  })

  it('says nothing where it is open either', async () => {
    const { got, undecided } = await accessTo([shop({})], ann)
    expect({ got, undecided }).toEqual({ got: { member: [1], person: [7] }, undecided: { 'shop:note.no, team': 1 } })
  })

  it('leaves it to the other references, by which the rows are found', async () => {
    const others = [undirected('person_id', 'person.id', from)]
    const { got } = await accessTo([shop(from, { others })], ann)
    expect(got['note']).toEqual([1, 2, 3, 4])
  })

  it.each([undefined, ['no']])('is counted by an open one that leads there, with the owner %s', async (owner) => {
    const others = [undirected('person_id', 'person.id')]
    const { got, undecided } = await accessTo([shop(from, { others, ...(owner && { owner }) })], ann)
    expect(got['note']).toEqual([1])
    expect(undecided).toEqual({ 'shop:note.person_id': 3 })
  })
})
