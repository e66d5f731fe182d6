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

/** The same, where it is spelled so alike that it may have been meant. */
export function nearKey(key: string, candidates: Iterable<string>): string | undefined {
  const nearest = nearestKey(key, candidates)
  const isFar = nearest === undefined || editDistance(key, nearest.slice(0, compared).toLowerCase()) > key.length / 3
  return isFar ? undefined : nearest
}

/** Names the known name that was probably meant, as the end of a message. Empty where none is spelled similarly. */
export function nearestHint(name: string, known: Iterable<string>, path: readonly PropertyKey[] = []): string {
  const given = name.slice(0, compared).toLowerCase()
  const all = [...known]
  const nearest = nearKey(given, all)
  // What differs in separators, such as `_id` for `id`, or has another prefix elsewhere, such as `service_key` for `key`.
  const meant =
    nearest ??
    all.find((each) => lettersOf(each) === lettersOf(given)) ??
    all.find((each) => given.endsWith(`_${each.toLowerCase()}`))
  return meant === undefined ? '' : `: the nearest known name is '${[...path, meant].join('.')}'`
}

/** The same for one of a few values, which is also meant by its beginning: `mongo` for `mongodb`. */
export function nearestValueHint(value: string, known: readonly string[]): string {
  const hint = nearestHint(value, known)
  const [only, ...others] = known.filter((each) => each.startsWith(value.toLowerCase()))
  const isBegun = only !== undefined && others.length === 0 && value.length > 2
  return hint === '' && isBegun ? `: the nearest known name is '${only}'` : hint
}

const lettersOf = (name: string) => name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase()

/** The number of letters to insert, drop or replace, or of neighbours to swap, to turn one text into the other. */
export function editDistance(left: string, right: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let at = 1; at <= left.length; at++) {
    const next = [at]
    for (let to = 1; to <= right.length; to++) {
      const replaced = (row[to - 1] as number) + (left[at - 1] === right[to - 1] ? 0 : 1)
      const isSwap = at > 1 && to > 1 && left[at - 1] === right[to - 2] && left[at - 2] === right[to - 1]
      const swapped = isSwap ? (before[to - 2] as number) + 1 : replaced
      next.push(Math.min(replaced, swapped, (row[to] as number) + 1, (next[to - 1] as number) + 1))
    }
    before = row
    row = next
  }
  return row[right.length] as number
}
