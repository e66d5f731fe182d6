import { type Arrangement, cell, type Panel, type Placeable, type Position } from './placeable.js'

interface Group {
  readonly text: string
  readonly members: readonly number[]
}

/** Free room inside of a panel, around its nodes. */
const padding = 24

/**
 * Puts the nodes of each group into a block with a name. Blocks of one line have the same height and stand side by side,
 * as words of a text do.
 */
export function blocks(nodes: readonly Placeable[], shape: number): Arrangement {
  const groups = groupsOf(nodes)
  const wanted = Math.sqrt(nodes.length * cell.width * cell.height * shape)
  // A name takes a fixed part of the width, so that it can be read while the whole picture is shown.
  const fontSize = Math.round(wanted * 0.0145)
  let best: Arrangement | undefined
  let least = Infinity
  const largest = Math.max(...groups.map(({ members }) => members.length))
  // The largest block is no higher than wide.
  const most = Math.ceil(Math.sqrt((largest * cell.width) / cell.height))
  for (let rows = Math.min(3, most); rows <= most; rows++)
    for (const stretch of [0.9, 1, 1.1, 1.25, 1.4]) {
      const tried = inLines(groups, nodes.length, { rows, wanted: wanted * stretch, fontSize })
      const width = Math.max(...tried.panels.map((each) => each.x + each.width / 2))
      const height = Math.max(...tried.panels.map((each) => each.y + each.height / 2))
      const size = Math.max(width, height * shape)
      if (size < least) [least, best] = [size, tried]
    }
  return best as Arrangement
}

/** Groups with systems come first, in the order of their names. Within a group the ranks follow each other. */
function groupsOf(nodes: readonly Placeable[]): Group[] {
  const byText = new Map<string, number[]>()
  for (const [at, { group = '' }] of nodes.entries()) {
    const members = byText.get(group) ?? []
    byText.set(group, members)
    members.push(at)
  }
  const rankOf = (at: number) => (nodes[at] as Placeable).rank
  return [...byText]
    .map(([text, members]) => ({ text, members: members.sort((a, b) => rankOf(a) - rankOf(b) || a - b) }))
    .sort((a, b) => rankOf(a.members[0] as number) - rankOf(b.members[0] as number) || compare(a.text, b.text))
}

const compare = (a: string, b: string) => (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1)

function inLines(
  groups: readonly Group[],
  count: number,
  { rows, wanted, fontSize }: { readonly rows: number; readonly wanted: number; readonly fontSize: number },
): Arrangement {
  const positions: Position[] = Array.from({ length: count }, () => ({ x: 0, y: 0 }))
  const panels: Panel[] = []
  const above = fontSize * 1.8
  const height = rows * cell.height + 2 * padding
  let [left, top] = [0, above]
  for (const { text, members } of groups) {
    const width = Math.ceil(members.length / rows) * cell.width + 2 * padding
    if (left > 0 && left + width > wanted) [left, top] = [0, top + height + above + padding]
    for (const [slot, at] of members.entries())
      positions[at] = {
        x: left + padding + (Math.floor(slot / rows) + 0.5) * cell.width,
        y: top + padding + ((slot % rows) + 0.5) * cell.height,
      }
    const middle = { x: left + width / 2, y: top + height / 2 }
    panels.push({ ...middle, width, height, fontSize, text: `${text || 'Others'} · ${members.length}` })
    left += width + padding
  }
  return { positions, panels }
}
