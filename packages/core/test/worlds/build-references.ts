import { codeName, handlerName, keyName, partyNames } from './names.js'
import type { ColumnType, Role, WorldColumn, WorldReference } from './world.js'
import { isRare, type ReferenceShape, type TableKind } from './world-shape.js'

/** A table before its references are known. */
export interface TableBase {
  readonly name: string
  readonly dataset: 'a' | 'b'
  readonly kind: TableKind
  readonly key: readonly WorldColumn[]
  readonly keyed: boolean
  readonly said: 'described' | 'skipped' | 'no'
  /** It has a column `code`, unique or not, that is as good as the key. */
  readonly code?: { readonly unique: boolean }
}

interface Wanted {
  readonly role: Role
  readonly to: TableBase
  readonly shape: ReferenceShape
  readonly name: string
  readonly neutral: boolean
}

interface Plain {
  readonly store: 'memory' | 'postgres'
  readonly isComplete: boolean
  /** Whatever may have a foreign key has one. */
  readonly isLinked: boolean
}

/** The type a column may have instead, and whether a foreign key still holds. */
function castType(type: ColumnType, { cast }: ReferenceShape): { type: ColumnType; linked: boolean } {
  if (!isRare(cast, 25)) return { type, linked: true }
  if (type === 'numeric') return { type: 'integer', linked: true }
  if (type === 'integer') return { type: cast % 2 ? 'numeric' : 'text', linked: false }
  if (type === 'uuid' || type === 'bigint') return { type: 'text', linked: false }
  return { type, linked: true }
}

function buildReference(from: TableBase, wanted: Wanted, world: Plain, taken: Set<string>): WorldReference {
  const { role, to, shape, neutral } = wanted
  const byCode = to.code !== undefined && role === 'owner' && isRare(shape.cast, 30)
  const target: readonly WorldColumn[] = byCode ? [{ name: 'code', type: 'text', nullable: true }] : to.key
  const cast = target.length === 1 && !byCode ? castType((target[0] as WorldColumn).type, shape) : undefined
  let name = byCode ? codeName(to.name) : wanted.name
  while (taken.has(name)) name = `other_${name}`
  taken.add(name)
  // there may be nothing that is somebody's already and that their row could point to
  const mayLackTarget = role === 'theirs' && to.kind === 'one'
  const nullable = !shape.required || mayLackTarget || (byCode && to.code?.unique === false)
  const reaches = from.dataset === to.dataset || (world.store === 'postgres' && isRare(shape.name, 30))
  const isLoose = !world.isLinked && (role === 'handler' || role === 'parent' || role === 'catalogue')
  const fits = byCode ? to.code?.unique === true : to.keyed && cast?.linked !== false
  const isLinked = reaches && fits && !isLoose && shape.onDelete !== undefined
  const onDelete = shape.onDelete === 'set null' && !nullable ? 'no action' : shape.onDelete
  const silent = !world.isComplete && isRare(shape.silent, 40)
  const unsaid = to.said === 'no' || (!world.isComplete && isRare(shape.unsaid, 5))
  return {
    name,
    role,
    to: to.name,
    nullable,
    neutral,
    columns: target.map(({ name: part, type }) => ({
      name: target.length === 1 ? name : `${part}_${name}`,
      type: cast?.type ?? type,
      nullable,
    })),
    toColumns: target.map((column) => column.name),
    ...(isLinked && onDelete && { onDelete }),
    said: unsaid ? 'no' : silent ? 'without' : 'with direction',
  }
}

export interface ExtraShape {
  readonly role: 'handler' | 'parent' | 'theirs' | 'catalogue' | 'self'
  readonly reference: ReferenceShape
}

const at = <Each>(list: readonly Each[], place: number): Each | undefined => list[place % Math.max(list.length, 1)]

/** Beside what makes a row somebody's: whoever deals with it, what it hangs on, what it points to. */
function extraReference(from: TableBase, bases: readonly TableBase[], { role, reference }: ExtraShape) {
  const ofKind = (...kinds: readonly TableKind[]) =>
    bases.filter(({ kind, name }) => kinds.includes(kind) && name !== from.name)
  const wanted = (meant: Role, to: TableBase | undefined, named?: { name: string; neutral: boolean }) =>
    to && { role: meant, to, shape: reference, ...(named ?? { name: keyName(to.name), neutral: true }) }
  switch (role) {
    case 'handler':
      return wanted('handler', at(ofKind('people'), reference.to) ?? bases[0], handlerName(reference))
    case 'parent':
      return wanted('parent', at(ofKind('one', 'two', 'nobody', 'mail'), reference.to))
    case 'theirs':
      // only what is somebody's by itself makes something else theirs
      return from.kind === 'nobody' || from.kind === 'unsaid' || from.kind === 'pointed'
        ? undefined
        : wanted('theirs', at(ofKind('pointed', ...(from.kind === 'people' ? (['one'] as const) : [])), reference.to))
    case 'catalogue':
      return wanted('catalogue', at(ofKind('nobody'), reference.to))
    case 'self':
      return from.kind === 'people'
        ? wanted('handler', from, { name: 'inviter_id', neutral: false })
        : wanted('parent', from, { name: `parent_${keyName(from.name)}`, neutral: false })
  }
}

/** References of people to what is theirs alone: to their address, their profile. */
export function buildPeopleReferences(
  people: TableBase,
  shapes: { readonly extras: readonly ExtraShape[]; readonly tables: readonly { readonly main: ReferenceShape }[] },
  bases: readonly TableBase[],
  world: Plain,
): WorldReference[] {
  const pointed = bases.slice(1).flatMap((to, each): Wanted[] => {
    const shape = shapes.tables[each]?.main as ReferenceShape
    if (to.kind !== 'pointed' || isRare(shape.to, 20)) return []
    return [{ role: 'theirs', to, shape, name: keyName(to.name), neutral: true }]
  })
  return built(people, [...pointed, ...besides(people, shapes.extras, bases)], world)
}

/** The references of one other table. Those that say whose rows are lead to tables before it. */
export function buildReferences(
  from: TableBase,
  shapes: { readonly main: ReferenceShape; readonly second: ReferenceShape; readonly extras: readonly ExtraShape[] },
  bases: readonly TableBase[],
  world: Plain,
): WorldReference[] {
  const { main, second, extras } = shapes
  const people = bases[0] as TableBase
  const before = bases.slice(0, bases.indexOf(from))
  const leading = before.filter(({ kind }) => ['people', 'one', 'two', 'pointed', 'mail'].includes(kind))
  // most things belong to people directly
  const owner = main.to % 5 < 3 ? people : (at(leading, main.to) ?? people)
  const [first, other] = partyNames(main)
  const deciding: readonly Wanted[] =
    from.kind === 'one'
      ? [{ role: 'owner', to: owner, shape: main, name: keyName(owner.name), neutral: false }]
      : from.kind === 'two'
        ? [
            { role: 'party', to: people, shape: main, name: first, neutral: false },
            { role: 'party', to: people, shape: second, name: other, neutral: false },
          ]
        : from.kind === 'names'
          ? [{ role: 'names', to: people, shape: main, name: keyName(people.name), neutral: false }]
          : []
  return built(from, [...deciding, ...besides(from, extras, bases)], world)
}

const besides = (from: TableBase, extras: readonly ExtraShape[], bases: readonly TableBase[]): Wanted[] =>
  extras.map((extra) => extraReference(from, bases, extra)).filter((each) => each !== undefined)

function built(from: TableBase, wanted: readonly Wanted[], world: Plain): WorldReference[] {
  const taken = new Set([
    'row_tag',
    'note',
    'remark',
    'full_name',
    'email',
    'phone',
    'code',
    ...from.key.map(({ name }) => name),
  ])
  return wanted.map((each) => buildReference(from, each, world, taken))
}
