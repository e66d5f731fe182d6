import { fact, sorted } from '../picture/facts.js'
import type { Fact, Value } from '../picture/picture.js'
import type { MapDocuments } from './map-documents.js'
import type { MapEdge, MapGraph } from './map-graph.js'

/** Where data goes from a place, and where it comes from, with the categories. */
export function flowFacts(place: number, { taxonomies }: MapDocuments, { edges }: MapGraph): Fact[] {
  const flows = edges.filter(({ kind }) => kind === 'flow')
  const link = (node: number, { words }: MapEdge): Value => ({
    node,
    note: sorted(words).map(taxonomies.categories.nameOf).join(', '),
  })
  return [
    ...fact('Sends to', ...flows.filter(({ from }) => from === place).map((flow) => link(flow.to, flow))),
    ...fact('Receives from', ...flows.filter(({ to }) => to === place).map((flow) => link(flow.from, flow))),
  ]
}
