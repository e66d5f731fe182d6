import type { ElementDefinition } from 'cytoscape'
import type { NodeKind, Picture } from '../picture/picture.js'
import { arrange } from '../view/arrange.js'
import { edgeCurve } from '../view/edge-curve.js'
import { shortLabel, textWidth } from './short-label.js'

const sizes: Readonly<Record<NodeKind['key'], { readonly width: number; readonly height: number }>> = {
  system: { width: 176, height: 46 },
  other: { width: 176, height: 46 },
  dataset: { width: 176, height: 46 },
  collection: { width: 176, height: 46 },
  category: { width: 160, height: 34 },
  identity: { width: 120, height: 46 },
}

/** With more edges than this each is drawn fainter, and none has its words until it is near the selected node. */
const fewEdges = 40

/** The elements of a picture for the library that draws, for any choice of its nodes. */
export function graphElements({ nodes, edges }: Picture, family: string) {
  const labels = nodes.map(({ kind, label, note }) => {
    const lines = [label, note].map((line) => shortLabel(line, sizes[kind].width - 22, `13px ${family}`))
    return lines.filter(Boolean).join('\n')
  })

  return (drawn: readonly number[], shape: number): ElementDefinition[] => {
    const places = new Map(drawn.map((at, place) => [at, place]))
    const lines = edges.flatMap(({ from, to }, at) => {
      const [source, target] = [places.get(from), places.get(to)]
      return source === undefined || target === undefined || from === to ? [] : [{ at, from: source, to: target }]
    })
    const shown = drawn.map((at) => nodes[at] as Picture['nodes'][number])
    const { positions, panels } = arrange(shown, lines, shape)
    const placed = shown.map(({ kind }, place) => ({ x: 0, y: 0, ...positions[place], ...sizes[kind] }))
    // Between blocks each line crosses many others. It is drawn once one of its ends is selected.
    const classes = panels.length > 0 ? 'quiet' : lines.length > fewEdges ? 'many' : 'labelled'
    return [
      ...shown.map(({ kind, tone }, place) => {
        const at = drawn[place] as number
        const { x, y } = placed[place] as (typeof placed)[number]
        return {
          group: 'nodes' as const,
          data: { id: `n${at}`, at, label: labels[at], kind, tone, ...sizes[kind] },
          position: { x, y },
        }
      }),
      ...panels.map(({ text, x, y, ...size }, at) => ({
        ...{ group: 'nodes' as const, classes: 'panel' },
        data: { id: `p${at}`, label: text, ...size },
        position: { x, y },
      })),
      ...lines.map(({ at, from, to }) => {
        const { isAround, ...curve } = edgeCurve(
          placed[from] as (typeof placed)[number],
          placed[to] as (typeof placed)[number],
        )
        const label = shortLabel(edges[at]?.label ?? '', 170, `11px ${family}`)
        // Words of a line around the left would lie under the nodes on its right.
        const beside = isAround ? -textWidth(label, `11px ${family}`) / 2 - 3 : 0
        const ends = { source: `n${drawn[from]}`, target: `n${drawn[to]}` }
        return {
          group: 'edges' as const,
          classes,
          data: { id: `e${at}`, ...ends, kind: edges[at]?.kind, label, beside, ...curve },
        }
      }),
    ]
  }
}
