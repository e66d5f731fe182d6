import type { Dataset, Field } from '../../model/dataset.js'
import { isCovered } from '../../model/is-covered.js'
import { union } from '../policy/declared-fields.js'
import { type DeclaredPlace, placeText } from '../policy/declared-places.js'
import { appendTo } from '../value/append-to.js'
import { listed, listedKeys } from '../value/listed.js'
import { stated } from './stated.js'

/** What the time limits of a dataset hold for, and what has none. */
export interface TimeLimits {
  /** The categories of the data that each limit holds for. None where nobody has said what that data is. */
  readonly held: ReadonlyMap<string, ReadonlySet<string>>
  readonly open: readonly OpenPlace[]
}

/** Personal data that nobody has declared a limit for. */
export interface OpenPlace {
  /** In words: `field 'shop:users.name'`. */
  readonly place: string
  readonly categories: readonly string[]
}

/** A field without members, or what stands for the fields that are not described, with what is said above it. */
interface Leaf extends Pick<DeclaredPlace, 'collection' | 'field' | 'categories'> {
  readonly limit: string | null
}

/** `retentions`: every limit that is declared somewhere in the dataset. */
export function timeLimits(dataset: Dataset, retentions: readonly string[]): TimeLimits {
  const leaves: Leaf[] = []
  const whole = { categories: dataset.data_categories, limit: stated(dataset.retention) }
  if (dataset.collections.length === 0) leaves.push(whole)
  for (const { name, data_categories: own, retention, fields } of dataset.collections) {
    const categories = union(whole.categories, own)
    const level = { collection: name, categories, limit: stated(retention) ?? whole.limit }
    if (fields.length === 0) leaves.push(level)
    else addLeaves(leaves, fields, level)
  }
  const held = new Map(retentions.map((limit) => [limit, new Set<string>()]))
  for (const { limit, categories } of leaves) {
    if (limit !== null) for (const each of categories) held.get(limit)?.add(each)
  }
  return { held, open: openPlaces(dataset.service_key, leaves.filter(isPersonal)) }
}

function addLeaves(leaves: Leaf[], fields: readonly Field[], above: Leaf): void {
  for (const { name, data_categories: own, retention, fields: members } of fields) {
    const field = above.field === undefined ? name : `${above.field}.${name}`
    const categories = union(above.categories, own)
    const leaf = { ...above, field, categories, limit: stated(retention) ?? above.limit }
    if (members.length === 0) leaves.push(leaf)
    else addLeaves(leaves, members, leaf)
  }
}

/** A category of the host may lie below `user` without its key saying so, so only what is no personal data is left out. */
const isOfPeople = (category: string) => stated(category) !== null && !isCovered(category, 'system')
const isPersonal = ({ categories }: Leaf) => categories.some(isOfPeople)

/** What has no limit. A dataset or a collection stands for its fields where several have some and none a limit. */
function openPlaces(dataset: string, leaves: readonly Leaf[]): OpenPlace[] {
  const place = (at: Pick<Leaf, 'collection' | 'field'>, open: readonly Leaf[]): OpenPlace => ({
    place: placeText(dataset, at),
    categories: [...new Set(open.flatMap(({ categories }) => categories.filter(isOfPeople)))].sort(),
  })
  const isOpen = ({ limit }: Leaf) => limit === null
  if (leaves.length > 1 && leaves.every(isOpen)) return [place({}, leaves)]
  const byCollection = new Map<string | undefined, Leaf[]>()
  for (const leaf of leaves) appendTo(byCollection, leaf.collection, leaf)
  return [...byCollection].flatMap(([collection, inside]) => {
    if (collection !== undefined && inside.length > 1 && inside.every(isOpen)) return [place({ collection }, inside)]
    return inside.filter(isOpen).map((leaf) => place(leaf, [leaf]))
  })
}

/** Each limit with the categories that it holds for, where it does not hold for all. */
export function limitTexts(limits: readonly TimeLimits[]): string[] {
  const open = new Set(limits.flatMap((each) => each.open.flatMap(({ categories }) => categories)))
  const held = new Map<string, Set<string>>()
  for (const [limit, categories] of limits.flatMap((each) => [...each.held]))
    held.set(limit, new Set([...(held.get(limit) ?? []), ...categories]))
  const isInPart = (category: string) => [...open].some((each) => isCovered(each, category))
  return [...held].map(([limit, categories]) => {
    const texts = [...categories].sort().map((each) => (isInPart(each) ? `${each} in part` : each))
    return `${limit} (${texts.join(', ') || 'data without a category'})`
  })
}

/** What has no limit, in words. */
export function openText(open: readonly OpenPlace[]): string {
  const categories = [...new Set(open.flatMap((each) => each.categories))].sort()
  return `${listedKeys(categories)} in ${listed(open.map(({ place }) => place))}`
}
