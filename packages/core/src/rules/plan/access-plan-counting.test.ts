import { describe, expect, it } from 'vitest'
import { collection, customer, from, key, reasons, references, wanted } from '../../../test/fixtures/planned-shop.js'
import { parseDataset } from '../../model/dataset.js'
import { accessPlan } from './access-plan.js'
import type { DescribedDataset } from './dataset-graph.js'

const described = (service_key: string, collections: readonly unknown[], manual = false): DescribedDataset => ({
  dataset: parseDataset({ service_key, collections }).value,
  connection: { key: service_key, disabled: false, ...(manual && { manual }) },
})
const shop = described('shop', [customer, collection('address', [key(), wanted('street')])])
/** A collection that no rule asks for. */
const leases = (manual?: boolean) =>
  described(
    'papers',
    [collection('lease', [key(), from('customer_id', 'customer.id'), references('address_id', 'address.id', 'none')])],
    manual,
  )

const erased = (papers: DescribedDataset) =>
  accessPlan({
    datasets: [shop, papers],
    identities: [['email']],
    targets: () => [],
    erasureTargets: (_, { categories }) =>
      categories.includes('user')
        ? { rule: 'rule', strategy: { strategy: 'null_rewrite', configuration: {} }, own: true }
        : undefined,
  })

describe('a collection that no rule asks for', () => {
  it('is searched where its rows refer to rows to erase that others may share', () => {
    expect(reasons(erased(leases()))).toEqual({})
  })

  it('is left out where people look rows up, since they are not asked for counts', () => {
    expect(reasons(erased(leases(true)))).toEqual({ 'papers:lease': 'no target needs it' })
  })
})
