import { expect } from 'vitest'
import { rowWriter } from '../../src/execution/find/row-writer.js'
import type { Value } from '../../src/model/value.js'
import type { CollectionNode } from '../../src/rules/plan/collection-node.js'
import { datasetGraph } from '../../src/rules/plan/dataset-graph.js'
import { identityEntries } from '../../src/rules/plan/identity-entries.js'
import { ownership } from '../../src/rules/plan/ownership.js'
import { planCollections } from '../../src/rules/plan/plan-collections.js'
import type { TargetedField, Targets } from '../../src/rules/plan/targeted.js'
import { pathTree, project } from '../../src/rules/policy/path-tree.js'
import { type Case, type Json, readValue, withoutEmpty } from './bank.js'
import { type DatasetInput, describedDatasets, targeting } from './datasets.js'

interface Input extends DatasetInput {
  readonly row?: Json
  readonly paths?: readonly (readonly string[])[]
  readonly results?: Readonly<Record<string, readonly Json[]>>
  readonly targets?: readonly string[]
}

interface Expected {
  readonly after_each?: readonly Json[]
  readonly result?: Json
  readonly filtered?: Json
}

export function checkFilter({ input, expected }: Case<Input, Expected>): void {
  const { row, paths = [] } = input
  const select = (count: number) => project(readValue(row), pathTree(paths.slice(0, count))) ?? {}
  for (const [at, wanted] of (expected.after_each ?? []).entries()) {
    expect(select(at + 1), `after ${at + 1} paths`).toEqual(withoutEmpty(readValue(wanted)))
  }
  if (expected.result) expect(select(paths.length)).toEqual(withoutEmpty(readValue(expected.result)))
  if (expected.filtered) expect(delivered(input)).toEqual(readValue(expected.filtered))
}

/** Rows as the engine writes them for a rule with these targets; a collection of which nothing is left is left out. */
function delivered(input: Input): Json {
  const graph = datasetGraph(describedDatasets(input))
  const targets = targeting(input.targets ?? [])
  const targeted = new Map([...graph.nodes].map(([address, node]) => [address, targetedFields(node, targets)]))
  const identities = identityEntries(graph, [])
  const planned = planCollections({
    graph,
    identities,
    targeted,
    order: [...graph.nodes.keys()],
    directedEdges: [],
    open: [],
    unreferenced: [],
    ownership: ownership(graph, { identities: identities.fields }),
  })
  return Object.fromEntries(
    planned.flatMap(({ address, columns, deliver }) => {
      const write = rowWriter(columns, deliver[0]?.paths ?? [])
      const texts = (input.results?.[address] ?? []).map((row) =>
        deliver.length === 0
          ? undefined
          : write(columns.map((column) => (readValue(row) as Record<string, Value>)[column])),
      )
      const rows = texts.flatMap((text) => (text === undefined ? [] : [JSON.parse(text)]))
      return rows.length > 0 ? [[address, rows] as const] : []
    }),
  )
}

function targetedFields(node: CollectionNode, targets: Targets): TargetedField[] {
  const all = [...node.fields.values()].map((field) => ({ field, rules: targets(node, field) }))
  return all.filter(({ rules }) => rules.length > 0)
}
