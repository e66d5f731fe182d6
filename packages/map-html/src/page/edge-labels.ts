/** Where the words of an edge stand. */
interface EdgeLabel {
  /** In the middle of the edge, or before its end. One of them is empty. */
  readonly label: string
  readonly targetLabel: string
  readonly beside: number
  readonly below: number
  readonly before: number
  /** How much farther it runs around than others between the same nodes. */
  readonly further: number
}

/**
 * Places the words of edges so that they do not lie on each other. Those of an edge around a side stand beside it. Those
 * of others stand before its end, above and below the line where several end there.
 */
export function edgeLabels() {
  const seen = new Map<string, number>()
  return (
    { from, to }: { readonly from: number; readonly to: number },
    around: 'left' | 'right' | undefined,
    words: string,
    width: number,
  ): EdgeLabel => {
    const place = around ? `${Math.min(from, to)} ${Math.max(from, to)}` : `${to}`
    const count = seen.get(place) ?? 0
    if (words !== '') seen.set(place, count + 1)
    if (around) {
      const beside = (width / 2 + 4) * (around === 'left' ? -1 : 1)
      return { label: words, targetLabel: '', beside, below: count * 14, before: 0, further: count * 16 }
    }
    const line = Math.floor(count / 2)
    const below = count % 2 === 0 ? -8 - 14 * line : 9 + 14 * line
    return { label: '', targetLabel: words, beside: 0, below, before: width / 2 + 16, further: 0 }
  }
}
