import type { Field, Value } from '@habeas/core'
import type { Document, FieldFacts, World } from './naive-graph.js'

/* The part of the naive model that looks at single rows: the keys in them, and what of them is delivered. */

/** One way of taking values out of a row: of every array on the way, one element. */
export interface Reading {
  readonly values: readonly Value[]
  readonly elements: readonly string[]
}

/** §7.4: values as a key in the types of their fields, or undefined as soon as one is blank or would lose something. */
export function keyOf(
  values: readonly Value[],
  fields: readonly FieldFacts[],
  sources: readonly FieldFacts[],
): string | undefined {
  const parts = values.map((value, at) => {
    const { kind, meta } = fields[at] as FieldFacts
    const placeholders = [...meta.placeholders, ...(sources[at]?.meta.placeholders ?? [])]
    if (typeof value === 'string' && value.trim() === '') return undefined
    if (placeholders.some((placeholder) => String(placeholder) === String(value))) return undefined
    const text = cast(value, kind)
    return meta.case_insensitive ? text?.toLowerCase() : text
  })
  return parts.includes(undefined) ? undefined : JSON.stringify(parts)
}

/** The same, where a number may also lie as its text: in a field without a type. */
export function keysOf(
  values: readonly Value[],
  fields: readonly FieldFacts[],
  sources: readonly FieldFacts[],
): string[] {
  const isEither = (at: number) => fields[at]?.kind === undefined && sources[at]?.kind === 'integer'
  const forms = values.map((value, at): Value[] =>
    isEither(at) && cast(value, 'integer') !== undefined ? [Number(value), String(value)] : [value],
  )
  const tuples = forms.reduce<Value[][]>(
    (all, each) => all.flatMap((tuple) => each.map((value) => [...tuple, value])),
    [[]],
  )
  return tuples.flatMap((tuple) => keyOf(tuple, fields, sources) ?? [])
}

function cast(value: Value, kind: FieldFacts['kind']): string | undefined {
  if (value === null || typeof value === 'object') return undefined
  if (kind === 'string') return String(value)
  if (kind === undefined) return `${typeof value} ${value}`
  if (typeof value === 'string') return /^-?(0|[1-9][0-9]*)$/.test(value) ? String(BigInt(value)) : undefined
  return typeof value === 'number' && Number.isInteger(value) ? String(value) : undefined
}

/** Every way of reading the paths out of a row. Paths through one array take their values from the same element. */
export function readings(row: Value, names: readonly string[]): Reading[] {
  const read = (
    value: Value | undefined,
    paths: readonly string[][],
    depth: number,
    place: string,
  ): { values: Map<string, Value>; elements: string[] }[] => {
    if (value === null || value === undefined) return []
    if (Array.isArray(value)) {
      return (value as Value[]).flatMap((element, at) =>
        read(element, paths, depth, `${place}/${at}`).map(({ values, elements }) => ({
          values,
          elements: [`${place}/${at}`, ...elements],
        })),
      )
    }
    if (paths.every((path) => path.length === depth))
      return [{ values: new Map(paths.map((path) => [path.join('.'), value])), elements: [] }]
    if (typeof value !== 'object') return []
    const members = [...new Set(paths.map((path) => path[depth] as string))]
    return members.reduce<ReturnType<typeof read>>(
      (all, member) => {
        const found = read(
          (value as Document)[member],
          paths.filter((path) => path[depth] === member),
          depth + 1,
          `${place}/${member}`,
        )
        return all.flatMap((one) =>
          found.map((two) => ({
            values: new Map([...one.values, ...two.values]),
            elements: [...one.elements, ...two.elements],
          })),
        )
      },
      [{ values: new Map(), elements: [] }],
    )
  }
  const found = read(
    row,
    names.map((name) => name.split('.')),
    0,
    '',
  )
  return found.map(({ values, elements }) => ({ values: names.map((name) => values.get(name) as Value), elements }))
}

/** §7.9: declared fields that the policy asks for, what is empty then removed. */
export function delivered(
  value: Value | undefined,
  fields: readonly Field[],
  above: readonly string[],
  world: World,
): Value | undefined {
  if (Array.isArray(value))
    return withoutEmpty((value as Value[]).map((element) => delivered(element, fields, above, world)))
  if (value === null || typeof value !== 'object') return undefined
  const members = fields.map((field): [string, Value | undefined] => {
    const categories = [...above, ...field.data_categories]
    const inner = (value as Document)[field.name]
    if (field.fields.length > 0) {
      if (inner === null) return [field.name, isAskedFor(field, categories, world) ? null : undefined]
      return [field.name, delivered(inner, field.fields, categories, world)]
    }
    return [field.name, (world.delivers ?? world.asksFor)(categories) ? whole(inner) : undefined]
  })
  const left = members.filter((member): member is [string, Value] => member[1] !== undefined)
  return left.length > 0 ? Object.fromEntries(left) : undefined
}

function isAskedFor({ fields }: Field, categories: readonly string[], world: World): boolean {
  return fields.some((inner) => {
    const all = [...categories, ...inner.data_categories]
    return inner.fields.length > 0 ? isAskedFor(inner, all, world) : (world.delivers ?? world.asksFor)(all)
  })
}

function whole(value: Value | undefined): Value | undefined {
  if (Array.isArray(value)) return withoutEmpty((value as Value[]).map(whole))
  if (value === null || typeof value !== 'object') return value
  const left = Object.entries(value).flatMap(([name, inner]) =>
    whole(inner) === undefined ? [] : [[name, whole(inner)] as [string, Value]],
  )
  return left.length > 0 ? Object.fromEntries(left) : undefined
}

function withoutEmpty(elements: readonly (Value | undefined)[]): Value | undefined {
  const left = elements.filter((element) => element !== undefined)
  return left.length > 0 ? left : undefined
}
