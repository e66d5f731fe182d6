import { expect } from 'vitest'
import type { Read } from '../../src/ports/connector.js'
import type { PlannedCollection } from '../../src/rules/plan/plan.js'
import type { Case, Json } from './bank.js'
import type { DatasetInput } from './datasets.js'
import { planOf } from './inputs.js'
import { groupsOf } from './query.js'

export interface FindInput extends DatasetInput {
  readonly runs?: readonly {
    readonly collection: string
    readonly inputs: Readonly<Record<string, readonly unknown[]>>
  }[]
}

export interface FindExpected {
  /** Filter and projection of each run. */
  readonly find?: readonly (readonly [Json, Json])[]
}

/** Reads of documents: what an adapter is asked for is the filter and the projection. */
export const isFind = ({ expected }: Case<FindInput, FindExpected>): boolean => expected.find !== undefined

export function checkFind({ input, expected }: Case<FindInput, FindExpected>): void {
  const plan = planOf(input)
  const { find = [] } = expected
  expect(input.runs).toHaveLength(find.length)
  for (const [at, { collection: address, inputs }] of (input.runs ?? []).entries()) {
    const collection = plan.collections.find((each) => each.address === address) as PlannedCollection
    const [filter, projection] = find[at] as readonly [Json, Json]
    const asked = groupsOf(collection, inputs).map(({ fields, values }) => [
      fields.map(({ path }) => path.join('.')),
      values.map((column) => [...column]),
    ])
    expect(asked, address).toEqual(Object.entries(filter).map(([field, value]) => [[field], [[value]]]))
    // All that is described is targeted here.
    const wanted = Object.entries(projection).flatMap(([column, isRead]) => (isRead === 1 ? [column] : []))
    expect([...collection.columns].sort(), address).toEqual(wanted.sort())
  }
}

/** What an adapter is asked for in each run, collections under their own names. */
export function readsOf(input: FindInput): Read[] {
  const plan = planOf(input)
  return (input.runs ?? []).map(({ collection: address, inputs }) => {
    const collection = plan.collections.find((each) => each.address === address) as PlannedCollection
    const name = address.slice(address.indexOf(':') + 1)
    return { collection: name, columns: [...collection.columns], anyOf: groupsOf(collection, inputs) }
  })
}
