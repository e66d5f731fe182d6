import { diffArrays } from 'diff'

/**
 * The text of people with the changes between two texts that a program has written: `before` says what `written` says. Lines
 * that do not change stay as they are, whatever their spaces and quotes. Undefined where the place of a change is not found.
 */
export function keepLines(written: readonly string[], before: readonly string[], after: readonly string[]) {
  const places = placesOf(written, before)
  const result: string[] = []
  let [taken, at] = [0, 0]
  const copyTo = (end: number) => {
    result.push(...written.slice(taken, Math.max(taken, end)))
    taken = Math.max(taken, end)
  }
  for (const hunk of hunksOf(before, after)) {
    at = hunk.at
    const first = hunk.removed === 0 ? undefined : places[at]
    const last = hunk.removed === 0 ? undefined : places[at + hunk.removed - 1]
    const above = at === 0 ? -1 : places[at - 1]
    const below = at + hunk.removed === before.length ? written.length : places[at + hunk.removed]
    const start = first ?? (above === undefined ? undefined : above + 1)
    if (hunk.removed > 0) {
      const end = last === undefined ? below : last + 1
      if (start === undefined || end === undefined || end < start) return undefined
      copyTo(start)
      taken = end
    } else {
      const place = start ?? below
      if (place === undefined) return undefined
      copyTo(place)
    }
    result.push(...hunk.added)
  }
  copyTo(written.length)
  return result
}

interface Hunk {
  readonly at: number
  readonly removed: number
  readonly added: readonly string[]
}

function hunksOf(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: { at: number; removed: number; added: string[] }[] = []
  let at = 0
  let open: { at: number; removed: number; added: string[] } | undefined
  for (const { value, added, removed } of diffArrays([...before], [...after])) {
    if (!added && !removed) {
      open = undefined
      at += value.length
      continue
    }
    if (!open) {
      open = { at, removed: 0, added: [] }
      hunks.push(open)
    }
    if (added) open.added.push(...value)
    else {
      open.removed += value.length
      at += value.length
    }
  }
  return hunks
}

/** Where each line of `before` stands in the text of people. Undefined where people have written it in another way. */
function placesOf(written: readonly string[], before: readonly string[]): (number | undefined)[] {
  const places: (number | undefined)[] = before.map(() => undefined)
  const full = (lines: readonly string[]) => lines.flatMap((line, at) => (line.trim() === '' ? [] : [at]))
  const [ours, theirs] = [full(before), full(written)]
  const plain = (line: string | undefined) => (line ?? '').replace(/[\s'"\uFEFF]/g, '')
  let [our, their] = [0, 0]
  const changes = diffArrays(
    ours.map((at) => plain(before[at])),
    theirs.map((at) => plain(written[at])),
  )
  for (const { value, added, removed } of changes) {
    if (!added && !removed)
      for (const offset of value.keys()) places[ours[our + offset] as number] = theirs[their + offset]
    if (!added) our += value.length
    if (!removed) their += value.length
  }
  return places
}
