import { formatAddress } from '../../model/address.js'
import { isCovered } from '../../model/is-covered.js'
import type { ValueKind } from '../../model/value.js'
import { otherAnswers } from '../draft/answers-to.js'
import { nameWords } from '../draft/name-words.js'
import {
  isAgentColumn,
  isDoneByColumn,
  isEditorColumn,
  isPartyColumn,
  isPeopleTable,
  isRoleColumn,
} from '../draft/ownership-names.js'
import { keySuffix } from '../draft/propose-references.js'
import { typeColumn } from '../draft/type-columns.js'
import type { CollectionNode, FieldNode } from './collection-node.js'
import type { DatasetGraph } from './dataset-graph.js'
import { answersAt, farKeys } from './far-keys.js'
import { nodesOf } from './graph-index.js'
import { namedHistoryOf } from './history-tables.js'
import { isOwnedByNobody, isReferring, type Ownership } from './ownership.js'
import type { UndescribedTarget } from './undescribed-pairs.js'

/** Kinds of keys. A text such as `created_by` may be a name. */
const keyKinds = new Set(['integer', 'decimal', 'uuid', 'object_id'])

/**
 * Fields without a described reference that are named after what somebody did or is (`actor_id`, `created_by`), in
 * collections with personal data, copies of the key of a described collection in its history, and foreign keys into another
 * schema. Columns that name the last editor of a row are left out.
 */
export function undescribedRoles(graph: DatasetGraph, ownership: Ownership, key: string): UndescribedTarget[] {
  const nodes = nodesOf(graph, key).filter(
    (node) =>
      node.live && !node.live.view && node.unavailable !== 'skip_processing' && !ownership.entries.has(node.address),
  )
  return nodes.flatMap((node) => {
    if (isOwnedByNobody(node)) return []
    const far = farKeys(graph, node, ownership)
    if (!holdsPersonalData(node)) return far
    const { collection, fields } = node
    const copied = historyOf(graph, node, ownership)
    const named = [...fields.values()].flatMap((field): UndescribedTarget[] => {
      if (!isAsked(node, field) || isReferring(ownership, node.address, field.name)) return []
      const of = copied && keyOf(copied) === field.name ? [copied] : undefined
      const targets = of ?? (isNamedAfterRole(field) ? peopleOf(graph, ownership, key) : [])
      const answers = targets.flatMap((target) => {
        const key = keyOf(target)
        const isLike = key !== undefined && target.fields.get(key)?.kind === field.kind && target !== node
        return isLike ? answersAt(node, field, target, key) : []
      })
      if (answers.length === 0) return []
      const why = of
        ? `it is named like the key of '${copied?.address}', of which '${collection.name}' seems to be a history, and no reference is described`
        : 'it is named after what somebody does or is, and no reference is described'
      return [
        { node, field: field.name, why, answers: [...answers, ...otherAnswers(node, field.name, ownership, 'people')] },
      ]
    })
    return [...far, ...named]
  })
}

function holdsPersonalData({ fields }: CollectionNode): boolean {
  const isPersonal = (category: string) => isCovered(category, 'user') && !isCovered(category, 'user.unique_id')
  return [...fields.values()].some(({ categories }) => categories.some(isPersonal))
}

function isNamedAfterRole({ name, kind }: FieldNode): boolean {
  if (isEditorColumn(name) || !(isAgentColumn(name) || isRoleColumn(name) || isPartyColumn(name))) return false
  const last = nameWords(name).at(-1) as string
  return !isNumber(kind) || isDoneByColumn(name) || /^(to|an)$/.test(last) || keySuffix.has(last)
}

/** A number such as `followers` may count people. */
const isNumber = (kind: ValueKind | undefined) => kind === 'integer' || kind === 'decimal'

function isAsked({ keys, live }: CollectionNode, { name, path, kind, field, column }: FieldNode): boolean {
  const { identity, reviewed: isReviewed, references } = field.service_meta
  if (path.length > 1 || !column || kind === undefined || !keyKinds.has(kind)) return false
  if (identity !== undefined || isReviewed || references.length > 0) return false
  if (live?.foreignKeys.some(({ columns }) => columns.includes(name))) return false
  return !keys.some((all) => all.length === 1 && all[0] === name) && !typeColumn(live?.columns ?? [], name)
}

/** The collections of people of a dataset, those that are named after people where there are any. */
function peopleOf(graph: DatasetGraph, { people }: Ownership, key: string): readonly CollectionNode[] {
  const all = nodesOf(graph, key).filter(({ address }) => people.has(address))
  const named = all.filter(({ collection }) => isPeopleTable(collection.name))
  return named.length > 0 ? named : all
}

/** The collection with an owner that a collection is named like the history of. */
function historyOf({ nodes }: DatasetGraph, { dataset, collection }: CollectionNode, { owned }: Ownership) {
  const names = namedHistoryOf(collection.name)
  if (names.length === 0) return undefined
  const found = dataset.collections.find(({ name }) => names.includes(nameWords(name).join('_')))
  const node = found && nodes.get(formatAddress(dataset.service_key, found.name))
  return node && owned.has(node.address) ? node : undefined
}

const keyOf = ({ keys }: CollectionNode) => keys.find((all) => all.length === 1)?.[0]
