import type { Value } from '@habeas/core'
import { noCode, noMail } from './build-tables.js'
import { canBePointedTo, keyValue, referencing } from './spell.js'
import {
  ownersOf,
  type Person,
  type Rows,
  tableOf,
  type World,
  type WorldReference,
  type WorldRow,
  type WorldTable,
} from './world.js'
import { isRare, type RowShape, type WorldShape } from './world-shape.js'

type Tables = Pick<World, 'tables'>

export function buildPersons({ others, recycled, phones, codes }: WorldShape): Person[] {
  const count = others + 1
  return Array.from({ length: count }, (_, at) => ({
    email: `p${at}@example.com`,
    pastEmail: isRare(recycled, 40) ? `p${(at + 1) % count}@example.com` : `p${at}-old@example.com`,
    phone: `+1555000${isRare(phones, 20) && at === 1 ? 0 : at}`,
    // where codes say nothing they do so of two, or nobody could know
    code: isRare(codes, 20) && count > 1 && (at === 1 || at === (codes % 2 ? 0 : count - 1)) ? noCode : `c${at}`,
  }))
}

/** A row while it is made: `draw` is what it is made from, `person` whose it is meant to be. */
interface Draft {
  readonly row: WorldRow
  readonly draw: RowShape
  readonly person: number
}

/** The values of a row that are its own. Every text tells which row it is of. */
export function ownValues(table: WorldTable, id: string, ordinal: number, blank: number): Record<string, Value> {
  const noteIsBlank = isRare(blank, 15) && table.columns.some(({ name, nullable }) => name === 'note' && nullable)
  const parts: Value[] =
    table.key.length === 1
      ? [keyValue(table.key[0]?.type ?? 'integer', ordinal)]
      : [1 + (ordinal % 2), 1 + Math.floor(ordinal / 2)]
  return {
    ...Object.fromEntries(table.key.map(({ name }, at) => [name, parts[at] as Value])),
    row_tag: id,
    note: noteIsBlank ? null : `note of ${id}`,
    remark: !noteIsBlank && isRare(blank, 30) ? null : `remark of ${id}`,
  }
}

const asWritten = (email: string, drawn: number) => (isRare(drawn, 8) ? email.replace('@example', '@Example') : email)

function draftsOf(table: WorldTable, number: number, draws: readonly RowShape[], people: readonly Person[]): Draft[] {
  const seen = new Set<number>()
  return draws.flatMap((draw, at) => {
    const person = number === 0 && at < people.length ? at : draw.person % people.length
    const { email, phone, code } = people[person] as Person
    const isAgain = seen.has(person)
    // employees are listed once; who is there a second time has another address there
    if (isAgain && table.kind === 'people' && number > 0) return []
    const id = `t${number}r${at}`
    const holdsCurrent = table.kind === 'mail' || (table.kind === 'names' ? draw.mail < 50 : !isRare(draw.mail, 7))
    const other = table.kind === 'people' && !isAgain ? null : `${id}-p${person}@example.com`
    if (table.kind === 'names' && holdsCurrent && isAgain) return []
    if (table.kind !== 'names' || holdsCurrent) seen.add(person)
    const isCurrent = holdsCurrent && !(table.kind === 'people' && isAgain)
    const values = {
      ...ownValues(table, id, at + 1, draw.blank),
      ...(table.columns.some(({ name }) => name === 'email') &&
        table.kind !== 'one' && { email: isCurrent ? asWritten(email, draw.blank) : other }),
      ...(table.kind === 'people' && { full_name: `Person ${person}` }),
      ...(number === 0 && { phone: isRare(draw.mail, 12) ? null : phone }),
      ...(number === 0 &&
        table.columns.some(({ name }) => name === 'code') && { code: isAgain ? `${code}${id}` : code }),
    }
    const knowsItself = ['people', 'mail'].includes(table.kind) || (table.kind === 'unsaid' && draw.person % 3 > 0)
    return [{ draw, person, row: { id, table: table.name, values, points: {}, by: knowsItself ? [person] : [] } }]
  })
}

const lead = (
  world: Tables,
  { row, draw, person }: Draft,
  reference: WorldReference,
  target: WorldRow | undefined,
): Draft => ({
  draw,
  person,
  row: {
    ...row,
    values: { ...row.values, ...referencing(world, reference, target, draw.blank) },
    points: { ...row.points, [reference.name]: target?.id ?? null },
  },
})

const isDeciding = ({ role }: WorldReference) => role === 'owner' || role === 'party' || role === 'names'

/** Where a row's reference leads, and whether it may lead nowhere. */
function chosen(reference: WorldReference, candidates: readonly WorldRow[], pick: number, leaveOut: number) {
  const possible = candidates.filter((each) => canBePointedTo(reference, each))
  const skips = reference.nullable && reference.role !== 'names' && pick % leaveOut === leaveOut - 1
  return skips || possible.length === 0 ? undefined : possible[pick % possible.length]
}

/** Rows of all tables, so that what references say in truth is so. */
export function fillWorld(world: Tables, shape: WorldShape, people: readonly Person[]): Rows {
  const { tables } = world
  const draws = [
    [...shape.people.slice(0, people.length), ...shape.doubles],
    ...shape.tables.map(({ rows }) => rows),
  ] as const
  let drafts = tables.flatMap((table, at) => draftsOf(table, at, draws[at] ?? [], people))
  const rowsIn = (name: string) => drafts.filter(({ row }) => row.table === name).map(({ row }) => row)
  const known = () => new Map(drafts.map(({ row }) => [row.id, row]))

  for (const table of tables) {
    for (const [at, reference] of table.references.filter(isDeciding).entries()) {
      const candidates = rowsIn(reference.to)
      drafts = drafts.map((draft) => {
        if (draft.row.table !== table.name) return draft
        // a name of somebody names nobody else
        const possible =
          reference.role === 'names' ? candidates.filter(({ by }) => by.includes(draft.person)) : candidates
        return lead(world, draft, reference, chosen(reference, possible, draft.draw.picks[at] as number, 8))
      })
    }
  }
  // what no reference makes somebody's may be somebody's all the same
  drafts = drafts.map((draft) => {
    const { row, person, draw } = draft
    const deciding = tableOf(world, row.table).references.filter(isDeciding)
    const isLed = deciding.some(({ name }) => row.points[name])
    if (deciding.length === 0 || isLed) return draft
    return { ...draft, row: { ...row, by: draw.person % 3 > 0 ? [person] : [] } }
  })
  const intended = new Map(
    drafts.map(({ row, person }) => [
      row.id,
      tableOf(world, row.table).kind === 'pointed' ? { ...row, by: [person] } : row,
    ]),
  )
  const meant = ownersOf(world, intended)
  const isAlike = (one: WorldRow, other: WorldRow) => {
    const [owners, others] = [meant.get(one.id) as Set<number>, meant.get(other.id) as Set<number>]
    return owners.size === 1 && others.size === 1 && [...owners][0] === [...others][0]
  }
  for (const table of tables) {
    for (const [at, reference] of table.references.filter((each) => !isDeciding(each)).entries()) {
      const { role, to, nullable } = reference
      const all = rowsIn(to)
      const mayShare = tableOf(world, to).kind === 'pointed'
      drafts = drafts.map((draft) => {
        if (draft.row.table !== table.name) return draft
        const pick = draft.draw.picks[(2 + at) % draft.draw.picks.length] as number
        const own = role === 'theirs' ? all.filter((each) => isAlike(draft.row, each)) : all
        const isFree = mayShare && (pick % 7 === 6 || (own.length === 0 && !nullable))
        return lead(world, draft, reference, chosen(reference, isFree ? all : own, pick, 5))
      })
    }
  }
  const owners = ownersOf(world, known())
  return new Map(
    drafts.map(({ row, draw }): [string, WorldRow] => {
      const table = tableOf(world, row.table)
      if (table.kind !== 'one' || !table.columns.some(({ name }) => name === 'email')) return [row.id, row]
      const person = people[[...(owners.get(row.id) as Set<number>)][0] ?? -1]
      const isLed = table.references.some(({ name, role }) => role === 'owner' && row.points[name])
      const email = person && (!isLed || draw.mail < 55 ? person.email : draw.mail < 80 ? person.pastEmail : null)
      const none = draw.person % 2 ? noMail : null
      return [row.id, { ...row, values: { ...row.values, email: email ? asWritten(email, draw.blank) : none } }]
    }),
  )
}
