import type { Position } from './placeable.js'

/** A curve between two nodes, in the words of the library that draws. */
export interface EdgeCurve {
  /** Where it leaves the first node and meets the second: at the middle of a side. */
  readonly sourceEnd: string
  readonly targetEnd: string
  /** Where its two control points stand: along the straight line, and beside it. */
  readonly weights: readonly number[]
  readonly distances: readonly number[]
}

interface Placed extends Position {
  readonly width: number
}

/** The middle of a side of a node, seen from its own middle. */
const ends = { left: '-50% 0', right: '50% 0' } as const

interface Around {
  /** On which side it runs around where both stand in one column. */
  readonly side: 'left' | 'right'
  /** How much farther away, beside others. */
  readonly further: number
}

/** Runs from side to side, or around one side where both nodes stand in one column. */
export function edgeCurve(from: Placed, to: Placed, around: Around): EdgeCurve {
  if (from.x === to.x) return curveAround(from, to, around)
  const forth = to.x > from.x
  const start = { x: from.x + (from.width / 2) * (forth ? 1 : -1), y: from.y }
  const end = { x: to.x - (to.width / 2) * (forth ? 1 : -1), y: to.y }
  const reach = (end.x - start.x) * 0.38
  const controls = [
    { x: start.x + reach, y: start.y },
    { x: end.x - reach, y: end.y },
  ]
  const [sourceEnd, targetEnd] = forth ? [ends.right, ends.left] : [ends.left, ends.right]
  return { sourceEnd, targetEnd, ...along(start, end, controls) }
}

function curveAround(from: Placed, to: Placed, { side, further }: Around): EdgeCurve {
  const out = side === 'left' ? -1 : 1
  const start = { x: from.x + (out * from.width) / 2, y: from.y }
  const end = { x: to.x + (out * to.width) / 2, y: to.y }
  const bulge = Math.min(side === 'left' ? 110 : 56, 26 + Math.abs(to.y - from.y) * 0.16) + further
  const x = from.x + out * (Math.max(from.width, to.width) / 2 + bulge)
  const controls = [
    { x, y: start.y },
    { x, y: end.y },
  ]
  return { sourceEnd: ends[side], targetEnd: ends[side], ...along(start, end, controls) }
}

/** The control points, measured along the line from one end to the other. */
function along(start: Position, end: Position, controls: readonly Position[]) {
  const [dx, dy] = [end.x - start.x, end.y - start.y]
  const length = Math.hypot(dx, dy) || 1
  const weights = controls.map(({ x, y }) => ((x - start.x) * dx + (y - start.y) * dy) / length ** 2)
  const distances = controls.map(({ x, y }) => ((y - start.y) * dx - (x - start.x) * dy) / length)
  return { weights, distances }
}
