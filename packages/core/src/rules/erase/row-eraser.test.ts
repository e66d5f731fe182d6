import { describe, expect, it } from 'vitest'
import { parseDataset } from '../../model/dataset.js'
import type { MaskingStrategy } from '../../model/masking-strategy.js'
import type { Value } from '../../model/value.js'
import { datasetGraph } from '../plan/dataset-graph.js'
import type { PlannedErasure } from '../plan/plan.js'
import { erasurePlan } from './erasure-plan.js'
import type { NotText } from './mask-within.js'
import { masker } from './masker.js'
import { rowEraser } from './row-eraser.js'

const secret = new Uint8Array(32).fill(1)

/** `list`: the live column holds lists, and there is another column for a note. */
function erased(strategy: MaskingStrategy, value: Value, erase: 'mask' | 'delete' = 'mask', list = false) {
  const fields = [
    { name: '_id', service_meta: { primary_key: true } },
    { name: 'code', data_categories: ['user.name'] },
    ...(list ? [{ name: 'note', data_categories: ['user.name'] }] : []),
  ]
  const collection = { name: 'person', service_meta: { erase }, fields }
  const { value: dataset } = parseDataset({ service_key: 'crm', collections: [collection] })
  const graph = datasetGraph([{ dataset, connection: { key: 'crm', disabled: false } }])
  const targets: Parameters<typeof erasurePlan>[1] = (_, { name }) =>
    name === '_id' ? undefined : { rule: 'all', strategy, own: true }
  const none: ReadonlySet<string> = new Set()
  const sharing = { pointedTo: none, withoutErasure: new Map<string, boolean>(), owned: none }
  const erasure = erasurePlan(graph, targets, new Map(), sharing).erasures.get('crm:person') as PlannedErasure
  const masks = erasure.masks.map((mask) => ({
    ...mask,
    ...(list && mask.field === 'code' && { list: true as const }),
  }))
  const found: NotText[] = []
  const decisionOf = rowEraser(
    { address: 'crm:person', columns: ['_id', 'code', 'note'], erasure: { ...erasure, masks } },
    {
      masker: ({ strategy: each }) => masker(each, { secret }),
      now: '2026-01-01T00:00:00.000Z',
      notText: (each) => void found.push(each),
    },
  )
  return { decision: decisionOf({ row: [1, value, 'secret'], leftOut: [] }), found }
}

const hash: MaskingStrategy = { strategy: 'hash', configuration: { algorithm: 'SHA-256' } }
const rewrite: MaskingStrategy = { strategy: 'string_rewrite', configuration: { rewrite_value: 'X' } }
const nothing: MaskingStrategy = { strategy: 'null_rewrite', configuration: {} }

describe('a value of a field without a type', () => {
  it.each([
    [hash, 7],
    [rewrite, 7],
    [rewrite, true],
    [rewrite, 0],
  ])('is left and reported where a text would replace another type (%o, %o)', (strategy, value) => {
    const { decision, found } = erased(strategy, value)
    expect(found).toEqual([{ field: 'code', strategy: strategy.strategy }])
    expect(decision).toEqual({ kind: 'unchanged' })
  })

  it('is replaced where it is text, or where the strategy takes any value', () => {
    expect(erased(rewrite, 'A')).toMatchObject({
      found: [],
      decision: { changes: [{ differs: true, becomes: 'X', constant: { to: 'X' } }] },
    })
    expect(erased(hash, 'A')).toMatchObject({
      found: [],
      decision: { changes: [{ becomes: expect.stringMatching(/^[0-9a-f]{64}$/) }] },
    })
    expect(erased(nothing, 7)).toMatchObject({ found: [], decision: { changes: [{ differs: true, becomes: null }] } })
    expect(erased(nothing, null)).toEqual({ found: [], decision: { kind: 'unchanged' } })
  })

  it('need not be replaceable in a row to delete', () => {
    expect(erased(hash, 7, 'delete')).toEqual({ found: [], decision: { kind: 'delete', key: [1], byValues: false } })
  })
})

describe('a column of lists', () => {
  const changesOf = (strategy: MaskingStrategy, value: Value) => {
    const { decision } = erased(strategy, value, 'mask', true)
    return decision.kind === 'mask' ? decision.changes.filter(({ column }) => column === 'code') : []
  }

  it.each([rewrite, hash, nothing])('takes no text and no NULL for a list that is NULL or empty (%o)', (strategy) => {
    for (const value of [null, []]) {
      const [change] = changesOf(strategy, value)
      expect(change).toEqual({ column: 'code', was: value, becomes: value, differs: false, structured: true })
    }
  })

  it('becomes a list of equal length', () => {
    expect(changesOf(rewrite, ['a', null])).toMatchObject([{ becomes: ['X', null], differs: true, structured: true }])
  })
})
