import type { ElementDefinition } from 'cytoscape'
import type { NodeKind, Picture } from '../picture/picture.js'
import { arrange } from '../view/arrange.js'
import { edgeCurve } from '../view/edge-curve.js'
import { edgeLabels } from './edge-labels.js'
import { shortLabel, textWidth } from './short-label.js'

const sizes: Readonly<Record<NodeKind['key'], { readonly width: number; readonly height: number }>> = {
  system: { width: 176, height: 46 },
  other: { width: 176, height: 46 },
  dataset: { width: 176, height: 46 },
  collection: { width: 176, height: 46 },
  category: { width: 160, height: 34 },
  identity: { width: 120, height: 46 },
  request: { width: 176, height: 46 },
}

/** With more edges than this each is drawn fainter, and none has its words until it is near the selected node. */
const fewEdges = 40

/** The elements of a picture for the library that draws, for any choice of its nodes. */
export function graphElements({ nodes, edges }: Picture, family: string) {
  const labels = nodes.map(({ kind, label, note }) => {
    const lines = [label, note].map((line) => shortLabel(line, sizes[kind].width - 22, `13px ${family}`))
    return lines.filter(Boolean).join('\n')
  })
  // Around a side there is less room.
  const isInside = (from: number, to: number) => nodes[from]?.rank === nodes[to]?.rank
  const words = edges.map(({ label, from, to }) => shortLabel(label, isInside(from, to) ? 150 : 184, `11px ${family}`))
  const widths = words.map((each) => textWidth(each, `11px ${family}`))

  return (drawn: readonly number[], shape: number): ElementDefinition[] => {
    const places = new Map(drawn.map((at, place) => [at, place]))
    const lines = edges.flatMap(({ from, to }, at) => {
      const [source, target] = [places.get(from), places.get(to)]
      return source === undefined || target === undefined || from === to ? [] : [{ at, from: source, to: target }]
    })
    const shown = drawn.map((at) => nodes[at] as Picture['nodes'][number])
    const isWorded = lines.some(({ at, from, to }) => shown[from]?.rank !== shown[to]?.rank && words[at] !== '')
    const { positions, panels } = arrange(shown, lines, { shape, gap: isWorded ? 200 : shape < 1 ? 70 : 120 })
    const first = Math.min(...shown.map(({ rank }) => rank))
    const placed = shown.map(({ kind }, place) => ({ x: 0, y: 0, ...positions[place], ...sizes[kind] }))
    // Between blocks each line crosses many others. It is drawn once one of its ends is selected.
    const classes = panels.length > 0 ? 'quiet' : lines.length > fewEdges ? 'many' : 'labelled'
    const labelOf = edgeLabels()
    return [
      ...shown.map(({ kind, tone }, place) => {
        const at = drawn[place] as number
        const { x, y } = placed[place] as (typeof placed)[number]
        const data = { id: `n${at}`, at, label: labels[at], kind, tone, ...sizes[kind] }
        return { group: 'nodes' as const, data, position: { x, y } }
      }),
      ...panels.map(({ text, x, y, ...size }, at) => ({
        ...{ group: 'nodes' as const, classes: 'panel' },
        data: { id: `p${at}`, label: text, largest: size.fontSize, ...size },
        position: { x, y },
      })),
      ...lines.map(({ at, from, to }) => {
        const [source, target] = [placed[from] as (typeof placed)[number], placed[to] as (typeof placed)[number]]
        // On the left of the first rank nothing else is drawn. Lines with words come to the others from there.
        const side = shown[from]?.rank === first ? 'left' : 'right'
        const around = source.x === target.x ? side : undefined
        const { further, ...label } = labelOf({ from, to }, around, words[at] ?? '', widths[at] ?? 0)
        const ends = { source: `n${drawn[from]}`, target: `n${drawn[to]}` }
        const data = {
          id: `e${at}`,
          ...ends,
          kind: edges[at]?.kind,
          ...label,
          ...edgeCurve(source, target, { side, further }),
        }
        return { group: 'edges' as const, classes, data }
      }),
    ]
  }
}
