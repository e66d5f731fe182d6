import { describe, expect, it } from 'vitest'
import { objectId, type Value } from '../../model/value.js'
import type { KeyGroup } from '../../ports/connector.js'
import { actionNeededOf, askOf, askText, lookUps, manualRowReader } from './manual-ask.js'

type Fields = KeyGroup['fields']

const group = (fields: Fields, tuples: Value[][], when?: KeyGroup['when']): KeyGroup => ({
  fields,
  values: fields.map((_, part) => tuples.map((tuple) => tuple[part] as Value)),
  ...(when && { when }),
})
const email = { path: ['email'] }
const first = { path: ['first'] }
const last = { path: ['last'] }
const columns = ['email', 'first', 'last', 'note']
const ask = (...anyOf: KeyGroup[]) => askOf({ columns, anyOf })
const stored = (made: ReturnType<typeof ask>) => JSON.parse(askText(made)) as typeof made

describe('an ask', () => {
  it('does not depend on the order of keys and groups, nor on where they were found', () => {
    const one = ask(group([email], [['a'], ['b']]), group([first, last], [['x', 'y']]), group([email], [['c'], ['a']]))
    const other = ask(group([first, last], [['x', 'y']]), group([email], [['c'], ['b'], ['a']]))
    expect(askText(one)).toBe(askText(other))
    expect(lookUps(one)).toBe(4)
    expect(askText(ask(group([email], [['a']])))).not.toBe(askText(ask(group([first], [['a']]))))
    expect(askText(ask(group([email], [['1']])))).not.toBe(askText(ask(group([email], [[1]]))))
  })

  it('asks once for a number and its text where a field has no type, in any order', () => {
    const numbers = ask(group([email], [['5'], [5], [-7n], ['-7'], ['x']]))
    expect(actionNeededOf(numbers)).toMatchObject([{ locators: { email: [-7n, 5, 'x'] } }])
    expect(actionNeededOf(ask(group([{ ...email, kind: 'string' }], [['5'], ['7']])))).toMatchObject([
      { locators: { email: ['5', '7'] } },
    ])
  })

  it('lists values of one field together, tuples one by one, and adds the conditions of a reference', () => {
    const made = ask(
      group([email], [['a'], ['b']]),
      group(
        [first, last],
        [
          ['x', 'y'],
          ['v', 'w'],
        ],
        [{ path: ['owner', 'type'], equals: 'customer' }],
      ),
    )
    const rest = { get: columns, update: null }
    expect(actionNeededOf(made)).toEqual([
      { locators: { email: ['a', 'b'] }, ...rest },
      { locators: { first: ['v'], last: ['w'], 'owner.type': ['customer'] }, ...rest },
      { locators: { first: ['x'], last: ['y'], 'owner.type': ['customer'] }, ...rest },
    ])
  })
})

describe('rows for an ask', () => {
  it('must hold a value, or a whole tuple, that was asked for', () => {
    const { meets } = manualRowReader(
      ask(
        group([email], [['a']]),
        group(
          [first, last],
          [
            ['x', 'y'],
            ['v', 'w'],
          ],
        ),
      ),
    )
    expect(meets({ email: 'a', note: 'n' })).toBe(true)
    expect(meets({ first: 'x', last: 'y' })).toBe(true)
    expect(meets({ first: 'x', last: 'w' })).toBe(false)
    expect(meets({ email: 'b' })).toBe(false)
    expect(meets({ note: 'a' })).toBe(false)
    expect(meets({})).toBe(false)
  })

  it('must meet the conditions of the reference', () => {
    const { meets } = manualRowReader(ask(group([email], [['a']], [{ path: ['kind'], equals: 1 }])))
    expect(meets({ email: 'a', kind: '1' })).toBe(true)
    expect(meets({ email: 'a', kind: 2 })).toBe(false)
    expect(meets({ email: 'a' })).toBe(false)
  })

  it('match in any case where case does not count, and inside of arrays', () => {
    const { meets } = manualRowReader(
      ask(group([{ path: ['people', 'email'], caseInsensitive: true, kind: 'string' }], [['Ann@x']])),
    )
    expect(meets({ people: [{ email: 'ben@x' }, { email: 'ANN@X' }] })).toBe(true)
    expect(meets({ people: [{ email: 'ben@x' }] })).toBe(false)
  })

  it('are read in the order of the columns, without columns that were not asked for', () => {
    const { read } = manualRowReader(ask(group([email], [['a']])))
    expect(read({ note: null, more: 1, email: 'a' })).toEqual(['a', undefined, undefined, null])
  })

  it.each<[string, Value, Value]>([
    ['an ObjectId by its digits', objectId('0123456789abcdef01234567') as Value, '0123456789abcdef01234567'],
    ['a number by its text', 5, '5'],
    ['text by a number', '5', 5],
    ['a whole number beyond 2^53', 9007199254740993n, '9007199254740993'],
  ])('match %s where the field has no type, and then hold the value that was asked for', (_, asked, given) => {
    const made = ask(group([email], [[asked]]))
    expect(manualRowReader(stored(made)).meets({ email: given })).toBe(true)
    const { meets, read } = manualRowReader(made)
    expect(meets({ email: given })).toBe(true)
    expect(read({ email: given })[0]).toBe(asked)
  })

  it('match by type where the field has one', () => {
    const { meets } = manualRowReader(ask(group([{ path: ['email'], kind: 'integer' }], [[5]])))
    expect(meets({ email: '5' })).toBe(true)
    expect(meets({ email: '5.5' })).toBe(false)
  })
})
