/** The number of compared characters. Keys of the taxonomy are far shorter. */
const compared = 100

/** The candidate that needs the fewest edits to become `key`. Among equals, the first in alphabetical order. */
export function nearestKey(key: string, candidates: Iterable<string>): string | undefined {
  const target = key.slice(0, compared)
  let nearest: { key: string; edits: number } | undefined
  for (const candidate of candidates) {
    const limit = nearest?.edits ?? Number.POSITIVE_INFINITY
    if (Math.abs(candidate.length - target.length) > limit) continue
    const edits = editDistance(target, candidate.slice(0, compared))
    if (edits < limit || (edits === limit && nearest && candidate < nearest.key)) nearest = { key: candidate, edits }
  }
  return nearest?.key
}

/** Names the known name that was probably meant, as the end of a message. Empty where none is spelled similarly. */
export function nearestHint(name: string, known: Iterable<string>, path: readonly PropertyKey[] = []): string {
  const nearest = nearestKey(name.toLowerCase(), known)
  const isFar = nearest === undefined || editDistance(name.toLowerCase(), nearest.toLowerCase()) > name.length / 3
  return isFar ? '' : `: the nearest known name is '${[...path, nearest].join('.')}'`
}

/** The number of letters to insert, drop or replace to turn one text into the other. */
export function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let at = 1; at <= left.length; at++) {
    const next = [at]
    for (let to = 1; to <= right.length; to++) {
      const replaced = (row[to - 1] as number) + (left[at - 1] === right[to - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[to] as number) + 1, (next[to - 1] as number) + 1))
    }
    row = next
  }
  return row[right.length] as number
}
