import { schemas } from '@habeas/core'
import { describe, expect, it } from 'vitest'
import { linkQuestions } from './link-questions.js'

const dataset = (service_key: string, collections: Readonly<Record<string, readonly string[]>>) =>
  schemas.dataset.parse({
    service_key,
    collections: Object.entries(collections).map(([name, fields]) => ({
      name,
      fields: fields.map((each) => ({ name: each })),
    })),
  })
const shop = dataset('shop', { customer: ['id'], policies: ['id', 'holder_id'] })
const desk = dataset('desk', { tickets: ['id', 'member_id'] })
const found = (type: string, ...loc: string[]) => ({ type, severity: 'warning' as const, loc, message: `see ${type}` })
const context = { asked: [], datasets: [shop, desk] }

function question(of: typeof shop, ...loc: string[]) {
  const [only] = linkQuestions(
    of,
    [found(loc.length === 2 ? 'unreachable_collection' : 'undescribed_reference', ...loc)],
    context,
  )
  const answer = (name: string) => {
    const named = only?.answers.find((each) => each.name === name)
    if (!named) throw new Error(`no answer ${name}`)
    return named
  }
  return { name: only?.name, answers: only?.answers.map(({ name }) => name), answer }
}

describe('of a table that nothing connects with a person', () => {
  const { name, answers, answer } = question(shop, 'shop', 'policies')
  const over = (COLUMN: string, field: string) =>
    answer('from=COLUMN@DATASET:COLLECTION.FIELD').write(shop, { COLUMN, 'DATASET:COLLECTION.FIELD': field })

  it('it is asked whether its rows are nobody’s, or which column says whose they are', () => {
    expect([name, answers]).toEqual([
      'shop:policies',
      ['owner=nobody', 'identity=COLUMN@PROPERTY', 'from=COLUMN@DATASET:COLLECTION.FIELD'],
    ])
  })

  it('the answer is written', () => {
    expect(answer('owner=nobody').write(shop).collections[1]?.service_meta.owner).toEqual([])
    const named = answer('identity=COLUMN@PROPERTY').write(shop, { COLUMN: 'holder_id', PROPERTY: 'user_id' })
    expect(named.collections[1]?.fields[1]?.service_meta.identity).toBe('user_id')
    const references = [{ dataset: 'shop', field: 'customer.id', direction: 'from' }]
    for (const field of ['shop:customer.id', 'customer.id'])
      expect(over('holder_id', field).collections[1]?.fields[1]?.service_meta.references).toEqual(references)
  })

  it.each([
    ['holderid', 'shop:customer.id', "'policies' has no column 'holderid': the nearest known name is 'holder_id'."],
    ['holder_id', 'shopp:customer.id', "There is no dataset 'shopp': the nearest known name is 'shop'."],
    ['holder_id', 'customers.id', "'shop' describes no field 'customers.id': the nearest known name is 'customer.id'."],
  ])('%s to %s is refused', (column, field, message) => {
    expect(() => over(column, field)).toThrow(message)
  })
})

describe('of a column that is named like the key of a person', () => {
  it('it is asked where it leads, also to another dataset', () => {
    const { name, answers, answer } = question(desk, 'desk', 'tickets', 'member_id')
    expect([name, answers]).toEqual([
      'desk:tickets.member_id',
      ['from=DATASET:COLLECTION.FIELD', 'identity=PROPERTY', 'reviewed'],
    ])
    const led = answer('from=DATASET:COLLECTION.FIELD').write(desk, { 'DATASET:COLLECTION.FIELD': 'shop:customer.id' })
    expect(led.collections[0]?.fields[1]?.service_meta.references).toEqual([
      { dataset: 'shop', field: 'customer.id', direction: 'from' },
    ])
    expect(answer('reviewed').leavesOut).toBe('tickets.member_id')
  })

  it('nothing is asked where a draft proposes it', () => {
    const reference = { dataset: 'shop', field: 'customer.id' }
    const proposal = {
      id: 'tickets.member_id:reference',
      collection: 'tickets',
      field: 'member_id',
      references: reference,
    }
    const asked = [{ ...proposal, kind: 'reference' as const, confidence: 0.8, reason: '' }]
    const findings = [found('undescribed_reference', 'desk', 'tickets', 'member_id')]
    expect(linkQuestions(desk, findings, { ...context, asked })).toEqual([])
  })
})
