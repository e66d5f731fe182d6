import type { PrivacyError, Value } from '@habeas/core'
import {
  type DocumentWords,
  documentMembers,
  type Expression,
  type ListedAssignment,
  type RowSource,
  type SqlMember,
  type SqlTable,
} from '@habeas/sql'
import { sql } from 'kysely'
import type { BatchList } from './batch-list.js'
import { parameterTypeOf, parameterValueOf } from './bound-values.js'
import type { LiveColumn, LiveType } from './live-column.js'
import { pathOf } from './place.js'
import { scalar } from './query-parameters.js'

/** Documents are compared by their JSON text, which the service has in one form, and written as documents. */
const words: DocumentWords<LiveColumn, BatchList> = {
  list: (texts) => ({ type: { type: 'STRING' }, values: texts.map((value) => ({ value })) }),
  parsed: (listed) => sql`parse_json(${listed})`,
  held: ({ name }) => sql`to_json_string(${sql.id(name)})`,
  whole: ({ name }) => sql.id(name),
  member: (document, path) => sql`json_query(${document}, ${pathOf(path)})`,
  same: (member, was) => sql<boolean>`(${member} is not null and ${canonical(member)} = ${canonical(was)})`,
  changed(document, changes, name) {
    const replacing = changes.flatMap(({ guard, writes }) =>
      writes.flatMap(({ path, to }) => {
        const place = pathOf(path)
        // a path is no value of a row: where the guard fails, what is there is written again, and nothing where nothing is
        const held = sql`ifnull(json_query(${document}, ${place}), parse_json('null'))`
        const value = sql`if(${guard}, ${to}, ${held})`
        return to === 'remove' ? [] : [sql`${place}, ${value}`]
      }),
    )
    const replaced =
      replacing.length === 0 ? document : sql`json_set(${document}, ${sql.join(replacing)}, create_if_missing => false)`
    return changes.reduce<Expression>((written, { guard, writes }) => {
      const removing = writes.filter(({ to }) => to === 'remove').map(({ path }) => pathOf(path))
      if (removing.length === 0) return written
      const held = name('document')
      const removed = removing.reduce<Expression>((from, place) => sql`json_remove(${from}, ${place})`, held)
      return sql`(select if(${guard}, ${removed}, ${held}) from unnest([${written}]) as ${held})`
    }, replaced)
  },
}

/** A text of many digits may stand for a number: one that the service would round is no error here. */
export function canonical(json: Expression): Expression {
  return withPlainNumbers(sql`to_json_string(parse_json(${json}, wide_number_mode => 'round'))`)
}

/** The service keeps 1 and 1.0, and 0 and -0.0 apart, and what was read does not: they become 1 and 0, outside of texts. */
export function withPlainNumbers(json: Expression): Expression {
  return sql`regexp_replace(${json}, ${textsAndPoints}, ${withoutPoints})`
}

/** A STRUCT or list as text, in which numbers that were read as the same are the same. */
export function wholeText(types: readonly LiveType[], value: Expression): Expression {
  const text = sql`to_json_string(${value})`
  return types.some(spellsNumbersTwice) ? withPlainNumbers(text) : text
}

function spellsNumbersTwice({ family, fields = [] }: LiveType): boolean {
  return family === 'json' || family === 'float' || fields.some(({ type }) => spellsNumbersTwice(type))
}

const end = '([,}\\]]|$)'
// a text whole, or what a whole number has too much
const textsAndPoints = scalar('STRING', `("(?:[^"\\\\]|\\\\.)*")|-(0)(?:\\.0)?${end}|\\.0${end}`)
const withoutPoints = scalar('STRING', '\\1\\2\\3\\4')

/** The column with members written where each, or the list around it, still is what it was. */
export function membersOf(
  column: LiveColumn,
  members: readonly SqlMember[],
  table: SqlTable<LiveColumn>,
  refuse: () => PrivacyError,
): ListedAssignment<BatchList> {
  if (column.type.family === 'json' && !column.type.repeated) return documentMembers(column, members, table, words)
  return structMembers(column, members, refuse)
}

/** One place of a STRUCT that is written whole. */
interface Written {
  readonly path: readonly string[]
  readonly was: BatchList
  readonly to: BatchList
}

/** A STRUCT is built anew of its members. Lists in it are written whole, while they are what they were. */
function structMembers(
  column: LiveColumn,
  members: readonly SqlMember[],
  refuse: () => PrivacyError,
): ListedAssignment<BatchList> {
  const writes = members.map(({ path, was, writes: [write, ...others] }): Written => {
    const type = memberType(column.type, path)
    // what is meant for one element must not become the list
    if (!type || !write || others.length > 0 || write.path.length !== path.length) throw refuse()
    const to = write.to === 'remove' ? was.map(() => null) : write.to
    return { path, was: typed(type, was, refuse), to: typed(type, to, refuse) }
  })
  return {
    lists: writes.flatMap(({ was, to }) => [was, to]),
    to: (source) => rebuilt(column.type, sql.id(column.name), writes, source),
  }
}

/** Undefined where the path leads through a list or into a JSON document. */
function memberType(type: LiveType, [name, ...rest]: readonly string[]): LiveType | undefined {
  if (name === undefined) return type
  const field = type.repeated ? undefined : type.fields?.find((field) => field.name === name)
  return field && memberType(field.type, rest)
}

function typed(type: LiveType, values: readonly Value[], refuse: () => PrivacyError): BatchList {
  const bound = values.map((value) => {
    const parameter = parameterValueOf(type, value)
    if (parameter === undefined) throw refuse()
    return parameter
  })
  return { type: parameterTypeOf(type), values: bound }
}

function rebuilt(
  type: LiveType,
  value: Expression,
  writes: readonly Written[],
  source: RowSource<BatchList>,
): Expression {
  if (writes.length === 0) return value
  const whole = writes.find(({ path }) => path.length === 0)
  if (whole) {
    const same = sql`${wholeText([type], value)} = ${wholeText([type], source.of(whole.was))}`
    return sql`if(${same}, ${source.of(whole.to)}, ${value})`
  }
  const fields = type.fields!.map(({ name, type }) => {
    const below = writes
      .filter(({ path }) => path[0] === name)
      .map((write) => ({ ...write, path: write.path.slice(1) }))
    return sql`${rebuilt(type, sql`${value}.${sql.id(name)}`, below, source)} as ${sql.id(name)}`
  })
  return sql`if(${value} is null, null, struct(${sql.join(fields)}))`
}
