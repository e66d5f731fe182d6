import {
  type BoundList,
  type Condition,
  type DocumentWords,
  documentMembers,
  type Expression,
  type GuardedWrites,
  type ListedAssignment,
  type SqlMember,
  type SqlMemberWrite,
  type SqlTable,
  withExponents,
} from '@habeas/sql'
import { sql } from 'kysely'
import { documentForm, keyForm } from './document-form.js'
import type { SnowflakeColumn } from './live-column.js'

type Path = SqlMemberWrite['path']

function variant(value: Expression): Expression {
  return sql`cast(${value} as variant)`
}

/** What stands at one place of a document; null where it is not such a document. */
function at(document: Expression, part: string | number): Expression {
  return typeof part === 'number'
    ? sql`get(as_array(${document}), ${sql.lit(part)})`
    : sql`get(as_object(${document}), ${part})`
}

/** A place of a document at which something changes, or below it. */
interface Place {
  guard?: Condition
  to?: Expression | 'remove'
  readonly below: Map<string | number, Place>
}

/** The places of all changes as one tree, so that each is written once. */
function placesOf(changes: readonly GuardedWrites[]): Place {
  const root: Place = { below: new Map() }
  const placeAt = (path: Path) =>
    path.reduce<Place>((place, part) => {
      const next: Place = place.below.get(part) ?? { below: new Map() }
      place.below.set(part, next)
      return next
    }, root)
  for (const { path, guard, writes } of changes) {
    placeAt(path).guard = guard
    for (const { path, to } of writes) placeAt(path).to = to
  }
  return root
}

/**
 * The server has no function that writes at a path, so each level is written anew around those inside it. What a place holds is
 * named by its path from the column, and never by what was written around it.
 */
function written(document: Expression, { guard, to, below }: Place, isGuarded: boolean): Expression {
  const isCertain = isGuarded || guard !== undefined
  const inside = to === undefined ? withParts(document, below, isCertain) : to === 'remove' ? sql`null` : to
  if (guard) return sql`iff(${guard}, ${inside}, ${document})`
  // others may have put another value in the place of the object
  return isCertain ? inside : sql`iff(as_object(${document}) is null, ${document}, ${inside})`
}

function withParts(document: Expression, below: Place['below'], isCertain: boolean): Expression {
  const isList = [...below.keys()].some((part) => typeof part === 'number')
  return isList ? withElements(document, below as Map<number, Place>) : withMembers(document, below, isCertain)
}

/** A member that holds nothing stays out of an object into which nothing is inserted. */
function withMembers(document: Expression, below: Place['below'], isCertain: boolean): Expression {
  const calls = [...below].flatMap(([name, place]) => {
    const inserted = {
      call: 'object_insert',
      more: () => sql`${name}, ${written(at(document, name), place, isCertain)}, true`,
    }
    const deleted = { call: 'object_delete', more: () => sql`${name}` }
    if (place.to !== 'remove') return [inserted]
    return place.guard ? [deleted, inserted] : [deleted]
  })
  // the last call stands around all others
  const heads = calls.map(({ call }) => `${call}(`).reverse()
  const tails = calls.map(({ more }) => sql`, ${more()})`)
  return variant(sql`${sql.raw(heads.join(''))}as_object(${document})${sql.join(tails, sql``)}`)
}

/** The list in slices, between which the new elements stand. */
function withElements(document: Expression, below: ReadonlyMap<number, Place>): Expression {
  const list = sql`as_array(${document})`
  const slices: Expression[] = []
  let from = 0
  for (const [position, place] of [...below].sort(([one], [other]) => one - other)) {
    if (position > from) slices.push(sql`array_slice(${list}, ${sql.lit(from)}, ${sql.lit(position)})`)
    slices.push(sql`array_construct(${written(at(document, position), place, true)})`)
    from = position + 1
  }
  const rest = sql`array_slice(${list}, ${sql.lit(from)}, array_size(${list}))`
  return variant(sql`array_flatten(array_construct(${sql.join([...slices, rest])}))`)
}

const words: DocumentWords<SnowflakeColumn, BoundList> = {
  list: (texts) => ({ values: texts, typed: (text) => sql`parse_json(${text})` }),
  held: ({ name }) => variant(sql.id(name)),
  member: (document, path) => path.reduce<Expression>(at, document),
  // documents are compared by a text: to compare them as documents is not defined for lists
  known: (texts) => ({ values: texts.map((text) => text && withExponents(text)), typed: keyForm }),
  same: (member, was) => sql<boolean>`equal_null(${documentForm(member)}, ${was})`,
  changed: (document, changes) => written(document, placesOf(changes), false),
  written: ({ cast }, document) => (cast === 'variant' ? document : sql`cast(${document} as ${sql.raw(cast)})`),
}

/** Members of documents, each written while it is what it was. */
export function documentMembersOf(
  column: SnowflakeColumn,
  members: readonly SqlMember[],
  table: SqlTable<SnowflakeColumn>,
): ListedAssignment<BoundList> {
  return documentMembers(column, members, table, words)
}
