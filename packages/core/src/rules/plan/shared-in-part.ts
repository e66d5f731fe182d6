import { memberOf, type Value } from '../../model/value.js'
import { type ElementPath, isOthersRow } from '../erase/filter-elements.js'
import { isBlank } from '../value/cast-value.js'
import type { Entry, PlannedCollection, PlannedErasure } from './plan.js'
import type { PlannedField } from './planned-field.js'

type Entries = readonly Pick<Entry, 'compared' | 'fields' | 'inside' | 'part'>[]

/** Why only elements of a row are masked. */
export const whyInPart = {
  shared: 'its lists also name somebody who is not known to be the person',
  others: 'the row belongs to another person',
  also: 'the row belongs to another person as well',
} as const

export type WhyInPart = (typeof whyInPart)[keyof typeof whyInPart]

const erasing = '`on_shared: "erase"` masks it as well'
const lastly = {
  [whyInPart.shared]: ` (a request that names every identity of the person in them, \`return_all_elements\` on a list that is one person’s, or ${erasing})`,
  [whyInPart.others]: '',
  [whyInPart.also]: ` (${erasing})`,
} as const

/** Why an own row is not deleted that holds elements which others may share. */
export const elementsShared = 'rows that may be shared say whose elements of its lists are'

/** What is said where such elements stay. */
export const elementsStay = 'elements of its lists stay, because rows that may be shared say whose they are'

/** The reason of a row of which only elements are masked, where rows that are nobody else's are masked or deleted. */
export function onlyInsideLists(why: WhyInPart, how: 'mask' | 'delete'): string {
  const masked =
    how === 'mask' ? 'masked only inside its lists' : 'masked instead of deleted, and only inside its lists'
  return `${masked}: what stands beside its lists stays, because ${why}${lastly[why]}`
}

/** Why only elements of a row are masked. Undefined where more of it is. */
export function masksInPart(
  collection: Parameters<typeof namesOthers>[0] & { readonly erasure: Pick<PlannedErasure, 'onShared'> },
  row: readonly (Value | undefined)[],
  leftOut: readonly ElementPath[],
): WhyInPart | undefined {
  if (isOthersRow(leftOut)) return whyInPart.others
  return collection.erasure.onShared === 'retain' && namesOthers(collection, row, leftOut)
    ? whyInPart.shared
    : undefined
}

/** Why only elements of rows with this reason were masked. Undefined where more of them was. */
export function whyOnlyInsideLists(reason: string | undefined): WhyInPart | undefined {
  const [known] = reason?.split(`; ${elementsStay}`) ?? []
  return Object.values(whyInPart).find(
    (why) => known === onlyInsideLists(why, 'mask') || known === onlyInsideLists(why, 'delete'),
  )
}

interface NamingRows {
  readonly entries?: Entries
  readonly columns: readonly string[]
  readonly judging?: Pick<PlannedCollection['judging'], 'byElements'>
}

/**
 * Whether elements that are left out of a row's lists name somebody. Then the fields next to these lists also belong to
 * those people (see docs/semantics.md, 'Arrays').
 */
export function namesOthers(
  { entries = [], columns, judging }: NamingRows,
  row: readonly (Value | undefined)[],
  leftOut: readonly ElementPath[] = [],
): boolean {
  if (leftOut.length === 0) return false
  if (isOthersRow(leftOut)) return true
  const fields = entryFields(entries.filter(({ inside, part }) => (!inside || judging?.byElements) && !part))
  return leftOut.some((place) => fields.some((field) => holdsAt(field, { columns, row, place })))
}

/** Whether a field holds something in the element at a place. */
export function holdsAt(
  { path, placeholders }: Pick<PlannedField, 'path' | 'placeholders'>,
  {
    columns,
    row,
    place,
  }: {
    readonly columns: readonly string[]
    readonly row: readonly (Value | undefined)[]
    readonly place: ElementPath
  },
): boolean {
  const names = listOf(place)
  if (!names.every((name, at) => path[at] === name)) return false
  const element = elementAt(row[columns.indexOf(names[0] as string)], place.slice(1))
  return holdsAny(element, path.slice(names.length), placeholders)
}

/** The path of the list that an element lies in. */
export const listOf = (place: ElementPath) => place.filter((step) => typeof step === 'string')

/** The lists of a collection, and what tells their elements apart. */
type Lists = { readonly entries: Entries } & Pick<PlannedCollection, 'unownedLists'>

/** The depth down to which lists on a path are filtered by element. 0 where they are not: elements of `unownedLists` go with what is around them. */
export function listDepth({ entries, unownedLists = [] }: Lists, path: readonly string[]): number {
  let depth = 0
  for (const field of entryFields(entries)) {
    let common = 0
    while (common < field.filteredDepth && common < path.length && path[common] === field.path[common]) common++
    if (common > depth) depth = common
  }
  while (depth > 0 && unownedLists.includes(path.slice(0, depth).join('.'))) depth--
  return depth
}

/** Whether some of the fields lie outside the lists that are filtered by element. */
export function isOutsideLists(lists: Lists, fields: readonly { readonly path: readonly string[] }[]): boolean {
  return fields.some(({ path }) => listDepth(lists, path) === 0)
}

/** Whether a path leads through a list of a row, down to a given depth, or through what stands in the place of one. */
export function leadsThroughList(
  column: (name: string) => Value | undefined,
  path: readonly string[],
  { lists, listed }: { readonly lists: number; readonly listed: ReadonlySet<number> },
): boolean {
  let value = column(path[0] as string)
  for (let at = 1; at <= lists; at++) {
    if (Array.isArray(value) || (listed.has(at) && value !== undefined && value !== null)) return true
    value = memberOf(value, path[at] as string)
  }
  return false
}

function entryFields(entries: Entries): Entry['fields'] {
  return entries.flatMap(({ compared, fields }) => (compared ? [] : fields))
}

function elementAt(value: Value | undefined, place: ElementPath): Value | undefined {
  let found = value
  for (const step of place)
    found =
      typeof step === 'number' ? (Array.isArray(found) ? (found[step] as Value) : undefined) : memberOf(found, step)
  return found
}

/** Whether a value holds something at a path, in any element of the lists on it. */
export function holdsAny(
  value: Value | undefined,
  path: readonly string[],
  placeholders: readonly (string | number | boolean)[],
): boolean {
  if (Array.isArray(value)) return value.some((element: Value) => holdsAny(element, path, placeholders))
  const [name, ...rest] = path
  if (name !== undefined) return holdsAny(memberOf(value, name), rest, placeholders)
  return !isBlank(value, placeholders)
}
