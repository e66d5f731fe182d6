import { describe, expect, it } from 'vitest'
import { collection, field, key, planned, wanted } from '../../../core/test/fixtures/planned-shop.js'
import { accessMessage, erasureMessage } from '../../../core/test/fixtures/told-shop.js'
import type { Picture, Value } from '../picture/picture.js'
import { planPicture } from './plan-picture.js'

const access = planPicture({ plan: accessMessage })
const erasure = planPicture({ plan: erasureMessage })
const node = ({ nodes }: Picture, label: string) => nodes.find((each) => each.label === label)
const factsOf = (picture: Picture, label: string, heading: string) =>
  Object.fromEntries(
    (node(picture, label)?.sections.find((each) => each.heading === heading)?.facts ?? []).map(({ term, values }) => [
      term,
      values.map((value: Value) => (typeof value === 'string' ? value : picture.nodes[value.node]?.label)),
    ]),
  )

describe('the picture of a plan', () => {
  it('begins with identities, and each collection stands one step behind what leads to it', () => {
    expect(access.nodes.map(({ label, rank }) => [label, rank])).toEqual([
      ['email', 0],
      ['alias', 1],
      ['customer', 1],
      ['address', 2],
      ['invoice', 2],
      ['orders', 2],
      ['visit', 2],
      ['guest', 3],
      ['archive', 3],
      ['employee', 2],
      ['review', 2],
      ['Not needed', 3],
      ['The whole request', 0],
    ])
  })

  it('names the way from an identity to a collection', () => {
    expect(factsOf(access, 'orders', 'Ways of the request')).toEqual({
      'Shortest way here': ['email', 'customer'],
      'All ways here': ['customer'],
      'Leads to': ['address'],
    })
    const way = node(access, 'orders')?.way?.map((step) => access.edges[step]?.label)
    expect(way).toEqual(['email', 'id → customer_id'])
  })

  it('draws what is inferred, what is a part, and what is open', () => {
    const kinds = access.edges.map(
      ({ kind, from, to }) => `${access.nodes[from]?.label} ${kind} ${access.nodes[to]?.label}`,
    )
    expect(kinds).toEqual(
      expect.arrayContaining([
        'customer inferred invoice',
        'customer part address',
        'customer way orders',
        'customer open review',
        'customer open employee',
      ]),
    )
  })

  it('says why something is open, and what can be answered', () => {
    const open = node(access, 'review')?.sections.find(({ heading }) => heading === 'Open')
    expect(open?.entries?.[0]).toMatchObject({ title: 'shop:review.customer_id' })
    expect(open?.entries?.[0]?.facts[0]).toEqual({ term: 'Why', values: ['it may be empty'] })
  })

  it('says what is delivered and read, and why something is not searched', () => {
    expect(node(access, 'customer')?.note).toBe('delivers 4 fields')
    expect(factsOf(access, 'customer', 'What is delivered')).toEqual({
      'Rule rule': ['email', 'name', 'phone', 'birthday'],
    })
    expect(factsOf(access, 'archive', 'Not searched')).toEqual({
      Why: ['skip_processing (the policy asks for its fields)'],
    })
    expect(factsOf(access, 'Not needed', 'Not searched: no target needs them')).toEqual({ Collections: ['shop:price'] })
  })

  it('says what an erasure does', () => {
    const tones = erasure.nodes.flatMap(({ label, tone, note }) => (tone ? [[label, tone, note]] : []))
    expect(tones).toEqual([
      ['alias', 'masked', 'masks email'],
      ['customer', 'masked', 'masks 4 fields'],
      ['address', 'masked', 'masks street, city'],
      ['invoice', 'kept', 'keeps rows: tax law'],
      ['orders', 'masked', 'masks note'],
      ['visit', 'deleted', 'rows deleted'],
      ['guest', 'faint', 'not searched'],
      ['archive', 'faint', 'not searched'],
      ['employee', 'open', 'counted only'],
      ['review', 'open', 'counted only'],
      ['Not needed', 'faint', '1 collection'],
      ['The whole request', 'open', '1 warning'],
    ])
    expect(factsOf(erasure, 'orders', 'What an erasure does')).toMatchObject({
      'Masked: note': ['null_rewrite, by rule rule', 'user'],
      'Stays: total': ['books of account'],
      Turn: [expect.stringMatching(/^written as number \d of 6$/)],
    })
    expect(factsOf(erasure, 'visit', 'What an erasure does')).toMatchObject({ Rows: ['are deleted'] })
  })

  it('filters by outcome and dataset, and always shows identities', () => {
    const [byOutcome] = erasure.filters
    const labels = byOutcome?.options.map(({ label }) => label) ?? []
    expect(labels).toEqual([
      ...['Rows are deleted', 'Fields are masked', 'Everything is kept', 'Only counted', 'Not searched'],
    ])
    expect(node(erasure, 'email')?.facets).toEqual([[[0, 1, 2, 3, 4], [0]]])
    expect(node(erasure, 'visit')?.facets).toEqual([[[0], [0]]])
  })

  it('finds its way on a circle, and shows findings where they belong', () => {
    const plan = planned({
      collections: [collection('customer', [key(), field('email', { identity: 'email' }), wanted('name')])],
    })
    const finding = { type: 'odd', severity: 'warning' as const, loc: ['shop', 'customer', 'name'], message: 'Look.' }
    const picture = planPicture({ plan: { ...plan, findings: [finding] }, title: 'Request 7' })
    expect(picture.title).toBe('Request 7')
    expect(factsOf(picture, 'customer', 'Findings')).toEqual({ warning: ['Look.'] })
  })

  it('begins with what no collection stands for', () => {
    const finding = (severity: 'error' | 'warning', message: string) => ({
      type: 'odd',
      severity,
      loc: ['shop'],
      message,
    })
    const findings = [finding('error', 'Stop.'), finding('warning', 'Look.')]
    const picture = planPicture({ plan: { ...accessMessage, coverage: { tables: ['shop:hidden'] }, findings } })
    expect(factsOf(picture, 'The whole request', 'Findings')).toEqual({ error: ['Stop.'], warning: ['Look.'] })
    expect(factsOf(picture, 'The whole request', 'Neither delivered nor erased')).toEqual({
      'Tables without a description': ['shop:hidden'],
    })
    expect(picture.summary).toMatch(/1 error that stops the request, 1 warning, 1 gap in the description$/)
    expect(node(picture, 'The whole request')).toMatchObject({
      ...{ kind: 'request', tone: 'open', note: '1 warning, 1 gap in the description' },
    })
  })

  it('tells collections on which nobody has decided from those that are not needed', () => {
    const plan = { ...accessMessage, coverage: { collections: ['shop:price'] } }
    expect(node(planPicture({ plan }), 'Nobody has decided')).toMatchObject({
      note: '1 collection',
      words: ['shop:price'],
    })
    expect(node(planPicture({ plan }), 'Not needed')).toBeUndefined()
  })

  it('shows the plan of a request that finds nothing', () => {
    const { nodes, edges } = planPicture({ plan: planned({ collections: [] }) })
    expect(nodes.map(({ label, note }) => [label, note])).toEqual([['The whole request', 'nothing to add']])
    expect(edges).toEqual([])
  })
})
