import { type Column, isTypedText, type KeyField, type KeyGroup, type Value, type ValueKind } from '@habeas/core'
import { Decimal128, type Document } from 'mongodb'
import { otherSpellings, spellingsOf } from './bson-value.js'
import { isPlain, literal, member, valuesAt } from './field-expression.js'

/** The kind of a column as it was described. */
export interface KindOf {
  (column: string): ValueKind | undefined
  /** Columns in which lists lie directly in lists. The language of `find` does not look into these. */
  readonly nested?: ReadonlySet<string>
  /** All that is known of the columns. */
  readonly columns?: readonly Column[]
}

/** The kind by which the values of a field are compared. */
export function comparedKind({ path, kind }: Pick<KeyField, 'path' | 'kind'>, kindOf: KindOf): ValueKind | undefined {
  return kind ?? (path.length === 1 ? kindOf(path[0] as string) : undefined)
}

/**
 * A filter for documents that meet one of the groups. It may let others pass where `comparesExactly` is false. Undefined
 * where none can meet one.
 */
export function anyOfFilter(groups: readonly KeyGroup[], kindOf: KindOf): Document | undefined {
  return either(groups.flatMap((group) => groupFilter(group, kindOf) ?? []))
}

/** Whether lists lie directly in lists in the column. */
export const isNested = ([column = '']: readonly string[], { nested }: KindOf) => nested?.has(column) === true

/** That a list lies in a list at the path, or on the way there: only its values tell then whether it holds a key. */
function hasNestedList(path: readonly string[]): Document[] {
  return path.map((_, at) => ({ [path.slice(0, at + 1).join('.')]: { $elemMatch: { $type: 'array' } } }))
}

/** The top-level columns that tell whether a document meets the groups. */
export function columnsOfGroups(groups: readonly KeyGroup[]): string[] {
  const fields = groups.flatMap(({ fields, when = [] }) => [...fields, ...when])
  return [...new Set(fields.map(({ path }) => path[0] as string))]
}

function groupFilter(group: KeyGroup, kindOf: KindOf): Document | undefined {
  const { fields, values, when = [] } = group
  const condition = group.exact ? wholeCondition : heldCondition
  const [only] = fields
  const keys =
    fields.length === 1
      ? condition(only as KeyField, Array.from(values[0] ?? []), kindOf)
      : either(
          Array.from(values[0] ?? []).flatMap((_, at) => {
            const parts = fields.map((field, part) => condition(field, [values[part]?.[at] as Value], kindOf))
            return parts.every((part) => part !== undefined) ? [both(parts)] : []
          }),
        )
  const also = when.map(({ path, equals }) => heldCondition({ path }, [equals], kindOf))
  if (!keys || also.includes(undefined)) return undefined
  return both([keys, ...(also as Document[])])
}

/** That the field holds one of the values, itself or in a list. Null and structured values meet nothing. */
function heldCondition(field: KeyField, values: readonly Value[], kindOf: KindOf): Document | undefined {
  const kind = comparedKind(field, kindOf)
  const plain: unknown[] = []
  const decimals: unknown[] = []
  const patterns: RegExp[] = []
  for (const value of values) {
    if (value === null || (typeof value === 'object' && !isTypedText(value))) continue
    const spellings = spellingsOf(value, kind)
    plain.push(...spellings.plain, ...otherSpellings(value, kind))
    decimals.push(...spellings.decimals)
    if (field.caseInsensitive && typeof value === 'string') patterns.push(folded(value, field.trimmed === true))
  }
  if (plain.length === 0 && decimals.length === 0) return undefined
  if (!field.path.every(isPlain)) {
    const held = valuesAt(field.path)
    if (field.caseInsensitive) return { $expr: { $gt: [{ $size: held }, 0] } }
    return { $expr: { $gt: [{ $size: { $setIntersection: [held, literal([...plain, ...decimals])] } }, 0] } }
  }
  const name = field.path.join('.')
  return either([
    ...amongOf(name, plain),
    // An index finds the texts themselves. Some servers take a pattern beside them in a list for no pattern.
    ...(patterns.length > 0 ? [{ [name]: patterns.length === 1 ? patterns[0] : { $in: patterns } }] : []),
    ...(decimals.length > 0 ? [{ [name]: { $type: 'decimal', $in: decimals } }] : []),
    ...(isNested(field.path, kindOf) ? hasNestedList(field.path) : []),
  ])
}

/** That the column as a whole may be one of the values, null and structured ones included. */
function wholeCondition({ path, kind }: KeyField, values: readonly Value[], kindOf: KindOf): Document | undefined {
  const name = path[0] as string
  const spelled = values.flatMap((value) => {
    const { plain, decimals } = spellingsOf(value, comparedKind({ path, ...(kind && { kind }) }, kindOf))
    return [...plain, ...decimals]
  })
  const isStructured = values.some((value) => typeof value === 'object' && value !== null && !isTypedText(value))
  if (isPlain(name)) {
    return either([...amongOf(name, spelled), ...(isStructured ? [{ [name]: { $type: ['object', 'array'] } }] : [])])
  }
  const held = member(name)
  const conditions = [
    { $in: [held, literal(spelled)] },
    ...(values.includes(null) ? [{ $lte: [held, null] }] : []),
    ...(isStructured ? [{ $in: [{ $type: held }, ['object', 'array']] }] : []),
  ]
  return { $expr: { $or: conditions } }
}

/** Up to how many decimals are asked for one by one. */
const mostApart = 100

/** That the field is one of the values. In a list, some servers miss a decimal that is equal and has another scale. */
function amongOf(name: string, values: readonly unknown[]): Document[] {
  const isDecimal = (value: unknown) => value instanceof Decimal128
  const decimals = values.filter(isDecimal)
  if (decimals.length > mostApart) return [{ [name]: { $in: values } }]
  const others = values.filter((value) => !isDecimal(value))
  return [
    ...(others.length > 0 ? [{ [name]: others.length === 1 ? { $eq: others[0] } : { $in: others } }] : []),
    ...decimals.map((decimal) => ({ [name]: { $eq: decimal } })),
  ]
}

/** The text in any case of its ASCII letters. A pattern without regard to case would take the Kelvin sign for a `k`. */
function folded(text: string, trimmed: boolean): RegExp {
  const blank = trimmed ? '[ \\t\\r\\n]*' : ''
  const escaped = text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  const inAnyCase = escaped.replace(/[A-Za-z]/g, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)
  // `$` would also end before a line break
  return new RegExp(`^${blank}${inAnyCase}${blank}(?![\\s\\S])`)
}

export function both(conditions: readonly Document[]): Document {
  return conditions.length === 1 ? (conditions[0] as Document) : { $and: conditions }
}

function either(conditions: readonly Document[]): Document | undefined {
  return conditions.length > 1 ? { $or: conditions } : conditions[0]
}
