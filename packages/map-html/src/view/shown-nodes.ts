import type { Picture, PictureNode } from '../picture/picture.js'

/** What somebody has asked to see. */
export interface Asked {
  readonly query: string
  /** For each filter the chosen option. */
  readonly choices: readonly (number | undefined)[]
  /** Only this node and what it is connected with. */
  readonly around: number | undefined
}

export interface Shown {
  /** What is asked for. The list shows it. */
  readonly matched: readonly number[]
  /** What the picture shows: the same, and where somebody searches what is connected with it. */
  readonly drawn: readonly number[]
}

/** The texts of each node in which a search looks, in lower case. */
export function searchTexts({ nodes }: Picture): string[] {
  return nodes.map(({ label, key, note, words }) => [label, key, note, ...words].join('\n').toLowerCase())
}

export function shownNodes(picture: Picture, texts: readonly string[], { query, choices, around }: Asked): Shown {
  const { nodes } = picture
  const parts = query.toLowerCase().split(/\s+/).filter(Boolean)
  const all = nodes.map((_, at) => at)
  const chosen = all.filter((at) => meets(nodes[at] as PictureNode, choices))
  const matched = chosen.filter((at) => parts.every((part) => texts[at]?.includes(part)))
  if (around !== undefined) return { matched, drawn: surroundings(picture, around, new Set(chosen)) }
  if (parts.length === 0) return { matched, drawn: matched }
  const isMatched = new Set(matched)
  const near = new Set(matched)
  for (const { from, to } of picture.edges) {
    if (isMatched.has(from)) near.add(to)
    if (isMatched.has(to)) near.add(from)
  }
  return { matched, drawn: chosen.filter((at) => near.has(at)) }
}

function meets({ facets }: PictureNode, choices: Asked['choices']): boolean {
  if (choices.every((choice) => choice === undefined)) return true
  return facets.some((facet) => choices.every((choice, at) => choice === undefined || facet[at]?.includes(choice)))
}

/** A node, what it is connected with, what its datasets hold, and the way to it. */
function surroundings({ nodes, edges }: Picture, at: number, chosen: ReadonlySet<number>): number[] {
  const near = new Set([at])
  for (const { from, to } of edges) {
    if (from === at) near.add(to)
    if (to === at) near.add(from)
  }
  if (nodes[at]?.kind === 'system') {
    const used = new Set(edges.filter(({ kind, from }) => kind === 'uses' && from === at).map(({ to }) => to))
    for (const { kind, from, to } of edges) if (kind === 'holds' && used.has(from)) near.add(to)
  }
  for (const step of nodes[at]?.way ?? []) near.add(edges[step]?.from as number)
  return [...near].filter((each) => each === at || chosen.has(each)).sort((a, b) => a - b)
}
