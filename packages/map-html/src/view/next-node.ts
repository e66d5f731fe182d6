import type { Position } from './placeable.js'

const directions: Readonly<Record<string, Position>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
}

/**
 * The node that an arrow key leads to: the nearest one in its direction. What stands beside that direction counts as
 * farther away. Where nothing is selected it is the first one.
 */
export function nextNode(
  nodes: readonly (Position & { readonly at: number })[],
  selected: number | undefined,
  key: string,
): number | undefined {
  const direction = directions[key]
  const from = nodes.find(({ at }) => at === selected)
  if (!direction || !from) return direction && nodes[0]?.at
  let best: { readonly at: number; readonly far: number } | undefined
  for (const { at, x, y } of nodes) {
    const [dx, dy] = [x - from.x, y - from.y]
    const ahead = dx * direction.x + dy * direction.y
    if (ahead <= 0) continue
    const beside = Math.abs(dx * direction.y) + Math.abs(dy * direction.x)
    const far = ahead + 3 * beside
    if (!best || far < best.far) best = { at, far }
  }
  return best?.at
}
