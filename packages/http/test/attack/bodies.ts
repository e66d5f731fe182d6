export type Place = readonly (string | number)[]

/** Every place of a value, the value itself first. */
export function placesOf(value: unknown, place: Place = []): { readonly place: Place; readonly value: unknown }[] {
  const inner =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, member]) =>
          placesOf(member, [...place, Array.isArray(value) ? Number(name) : name]),
        )
      : []
  return [{ place, value }, ...inner]
}

/** A copy with something else at one place; undefined takes it away. */
export function changedAt(value: unknown, [first, ...rest]: Place, replacement: unknown): unknown {
  if (first === undefined) return replacement
  const inner = (value as Record<string | number, unknown>)[first]
  const changed = rest.length === 0 ? replacement : changedAt(inner, rest, replacement)
  if (Array.isArray(value)) return value.map((item, index) => (index === first ? changed : item))
  const others = Object.entries(value as object).filter(([name]) => name !== first)
  return Object.fromEntries(changed === undefined ? others : [...others, [first, changed]])
}

export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'list' : typeof value
}

/** JSON of a value in which a number that JavaScript does not have stands at one place. */
export function jsonWith(value: unknown, place: Place, written: string): string {
  const mark = '@@the-place@@'
  return JSON.stringify(changedAt(value, place, mark)).replace(JSON.stringify(mark), written)
}

/** `[[[…]]]` or `{"a":{"a":…}}`. */
export function nested(levels: number, opening: '[' | '{"a":'): string {
  const closing = opening === '[' ? ']' : '}'
  const inner = opening === '[' ? '' : '1'
  return `${opening.repeat(levels)}${inner}${closing.repeat(levels)}`
}
