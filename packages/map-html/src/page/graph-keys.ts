import { part } from './element.js'
import type { Graph } from './graph.js'

/** The keys that the picture answers to while it has the focus. */
export function graphKeys(drawing: Graph, select: (node: number) => void, enter: () => void): void {
  part('graph').addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const next = drawing.neighbour(event.key)
    if (next !== undefined) select(next)
    else if (event.key === '+' || event.key === '=') drawing.zoom(1.4)
    else if (event.key === '-') drawing.zoom(1 / 1.4)
    else if (event.key === '0') drawing.fit()
    else if (event.key === 'Enter') enter()
    else return
    event.preventDefault()
  })
}
