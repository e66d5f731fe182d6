import { buildPeopleReferences, buildReferences, type TableBase } from './build-references.js'
import { peopleNames, tableName } from './names.js'
import type { Special, World, WorldColumn, WorldReference, WorldTable } from './world.js'
import { isRare, type TableShape, type WorldShape } from './world-shape.js'

/** Values that say nothing: in columns that lead to people by their code, and where an e-mail might stand. */
export const noCode = 'N/A'
export const noMail = '-'

function keyOf(drawn: number, store: World['store']): { key: WorldColumn[]; keyed: boolean } {
  const one = (type: WorldColumn['type'], keyed = true) => ({ key: [{ name: 'id', type, nullable: false }], keyed })
  if (drawn < 45) return one('integer')
  if (drawn < 55) return one('uuid')
  if (drawn < 65) return one('text')
  if (drawn < 73) return one('numeric')
  if (drawn < 80) return one(store === 'postgres' ? 'no_case' : 'text')
  if (drawn < 86) return one('bigint')
  if (drawn >= 97) return one('integer', false)
  const key = ['tenant', 'number'].map((name): WorldColumn => ({ name, type: 'integer', nullable: false }))
  return { key, keyed: true }
}

const text = (name: string, more: Partial<WorldColumn> = {}): WorldColumn => ({
  name,
  type: 'text',
  nullable: true,
  ...more,
})

const tag = text('row_tag', { nullable: false })

function specialOf({ special }: TableShape, store: World['store'], keyed: boolean): Special | undefined {
  if (store === 'memory' || special < 70) return undefined
  if (special < 76) return keyed ? 'partitioned' : undefined
  if (special < 80) return 'view'
  if (special < 84) return 'skipped view'
  if (special < 89) return 'touched'
  if (special < 92) return 'restored'
  return special < 97 ? 'generated' : 'read generated'
}

type Plain = Pick<World, 'store' | 'declared'> & { readonly isComplete: boolean; readonly isLinked: boolean }

/** What a dataset says of the owner, which is always true. */
function ownerOf(
  base: TableBase,
  shape: TableShape,
  references: readonly WorldReference[],
  { declared, isComplete }: Plain,
): readonly string[] | undefined {
  const { kind } = base
  const { owner, mails } = shape
  if (kind === 'nobody') return isComplete || isRare(owner, 50) ? [] : undefined
  if (kind === 'mail' || kind === 'people') return isRare(owner, 10) ? ['email'] : undefined
  const deciding = references.find(({ role }) => role === 'owner')
  if (kind !== 'one' || !deciding || deciding.said === 'no') return undefined
  const column = deciding.columns[0]?.name as string
  const hasMails = isRare(mails, 35)
  // an e-mail on such a row may be old: who describes it well says which of the two counts
  if (hasMails) return declared || isComplete || isRare(owner, 60) ? [column, 'email'] : undefined
  return isRare(owner, 25) ? [column] : undefined
}

function buildTable(base: TableBase, shape: TableShape, bases: readonly TableBase[], world: Plain): WorldTable {
  const references = buildReferences(base, shape, bases, world)
  const { kind, said, keyed } = base
  const deciding = references.find(({ role }) => role === 'owner')
  const mails = kind === 'one' && isRare(shape.mails, 35) && deciding?.said !== 'no'
  const isStaff = kind === 'people'
  const holdsMail = mails || isStaff || kind === 'names' || kind === 'mail'
  const isUniqueMail = isStaff || kind === 'names'
  const targeted = !isRare(shape.untargeted, kind === 'nobody' ? 70 : 8)
  const special = specialOf(shape, world.store, keyed)
  const owner = said === 'described' ? ownerOf(base, shape, references, world) : undefined
  const knowsMail = !(isStaff && isRare(shape.mails, 30))
  return {
    ...base,
    columns: [
      tag,
      text('note', { nullable: !isRare(shape.meta, 40) }),
      text('remark'),
      ...(isStaff ? [text('full_name')] : []),
      ...(holdsMail ? [text('email', { unique: isUniqueMail })] : []),
    ],
    references,
    targeted,
    ...(owner && (owner[0] !== 'email' || knowsMail) && { owner }),
    identities: holdsMail && knowsMail ? { email: 'email' } : {},
    placeholders: mails ? { email: noMail } : {},
    onShared: isRare(shape.meta, 8) ? 'erase' : 'retain',
    others: !isStaff && shape.meta >= 86 && shape.meta < 92,
    deletes: shape.deletes,
    ...(special && { special }),
  }
}

/** Everybody who may ask: the first table, always described. */
function buildPeople(shape: WorldShape, base: TableBase, bases: readonly TableBase[], world: Plain): WorldTable {
  const { identities: drawn, peopleExtras, deletes } = shape
  const references = buildPeopleReferences(base, { extras: peopleExtras, tables: shape.tables }, bases, world)
  const isFoundByName =
    isRare(drawn, 7) &&
    bases.some(({ kind, said, dataset }) => kind === 'names' && said === 'described' && dataset === 'a')
  return {
    ...base,
    columns: [
      tag,
      text('note'),
      text('remark'),
      text('full_name'),
      text('email', { unique: true }),
      text('phone'),
      ...(base.code ? [text('code', { unique: base.code.unique })] : []),
    ],
    references,
    targeted: true,
    identities: isFoundByName ? {} : { email: 'email', ...(drawn % 2 === 1 && { phone: 'phone' }) },
    placeholders: base.code?.unique === false ? { code: noCode } : {},
    onShared: 'retain',
    others: false,
    deletes: deletes % 2 === 1,
  }
}

/** The tables of a world, without rows. */
export function buildTables(shape: WorldShape): Pick<World, 'tables' | 'store' | 'declared' | 'complete' | 'second'> {
  const { declared, complete, memory, second, codes } = shape
  const store = memory < 60 ? 'memory' : 'postgres'
  const isComplete = isRare(complete, 30)
  const world: Plain = { store, declared, isComplete, isLinked: isRare(shape.links, 50) }
  const taken = new Set<string>()
  const name = peopleNames[shape.name % peopleNames.length] as string
  taken.add(name)
  const people: TableBase = {
    name,
    dataset: 'a',
    kind: 'people',
    said: 'described',
    ...keyOf(Math.min(shape.key, 96), store),
    ...(isRare(codes, 40) && { code: { unique: !isRare(codes, 20) } }),
  }
  const bases = shape.tables.map((table): TableBase => {
    const own = tableName(table.kind, table.name, taken)
    taken.add(own)
    return {
      name: own,
      kind: table.kind,
      dataset: isRare(table.elsewhere, 20) ? 'b' : 'a',
      ...keyOf(table.key, store),
      said: isRare(table.described, 4) ? 'no' : isRare(table.described, 8) ? 'skipped' : 'described',
    }
  })
  const all = [people, ...bases]
  return {
    store,
    declared,
    complete: isComplete,
    second: second < 60 ? 'there' : second < 72 ? 'read-only' : second < 85 ? 'disabled' : 'missing',
    tables: [
      buildPeople(shape, people, all, world),
      ...bases.map((base, at) => buildTable(base, shape.tables[at] as TableShape, all, world)),
    ],
  }
}
