import { isBlank } from '../value/cast-value.js'

/** A text that says something, or null. A blank one declares nothing, so what stands behind it counts. */
export function stated(text: string | undefined): string | null {
  return text === undefined || isBlank(text) ? null : text
}

/** Each text that says something once, in the order of its code units, which is the same everywhere. */
export function statedTexts(texts: Iterable<string | undefined>): string[] {
  return [...new Set(texts)].flatMap((text) => stated(text) ?? []).sort()
}

/** The same as a cell: null where no text says anything. */
export function statedCell(texts: Iterable<string | undefined>): string[] | null {
  const list = statedTexts(texts)
  return list.length > 0 ? list : null
}
