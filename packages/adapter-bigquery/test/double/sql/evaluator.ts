import type { SchemaField } from '../../../src/live-column.js'
import { castTo, functions } from './functions.js'
import type { Expression, Select, Source } from './parser.js'
import { equal, keyOf, ordered, refused, type Sql } from './values.js'

export type MemoryRow = Readonly<Record<string, Sql>>

export interface MemoryTable {
  readonly fields: readonly SchemaField[]
  readonly rows: readonly MemoryRow[]
  /** The column by which it is divided. `resource` is what the service says of it. */
  readonly partition?: { readonly column: string; readonly required: boolean; readonly resource: object }
}

/** The names of a row and of all rows around it. */
export interface Scope {
  readonly names: ReadonlyMap<string, Sql>
  readonly outer?: Scope | undefined
}

export interface Evaluator {
  value(expression: Expression, scope: Scope): Sql
  holds(expression: Expression, scope: Scope): boolean
  rows(select: Select, scope: Scope): Sql[][]
  /** The rows of a source, each as names. */
  sourceRows(source: Source, scope: Scope): ReadonlyMap<string, Sql>[]
}

/** Evaluates statements over tables. What does not depend on a row is evaluated once. */
export function evaluatorOf(tableOf: (path: string) => MemoryTable, parameters: ReadonlyMap<string, Sql>): Evaluator {
  const sets = new Map<Expression, Set<string>>()
  const indexes = new Map<Select, Map<string, ReadonlyMap<string, Sql>[]>>()
  const derived = new Map<Source, ReadonlyMap<string, Sql>[]>()

  function lookUp(name: string, scope: Scope): Sql {
    for (let at: Scope | undefined = scope; at; at = at.outer) if (at.names.has(name)) return at.names.get(name)!
    throw refused(`Unrecognized name: ${name}`)
  }

  function value(expression: Expression, scope: Scope): Sql {
    switch (expression.is) {
      case 'literal':
        return expression.value
      case 'parameter': {
        const held = parameters.get(expression.name)
        if (held === undefined) throw refused(`Query parameter '${expression.name}' not found`)
        return held
      }
      case 'path':
        return expression.names
          .slice(1)
          .reduce<Sql>((held, name) => member(held, name), lookUp(expression.names[0]!, scope))
      case 'list':
        return expression.elements.map((element) => value(element, scope))
      case 'case': {
        const met = expression.whens.find(([when]) => holds(when, scope))
        return value(met ? met[1] : expression.otherwise, scope)
      }
      case 'cast': {
        const cast = castTo(expression.type, value(expression.value, scope))
        if (cast === undefined && !expression.safe) throw refused('Bad value')
        return cast ?? null
      }
      case 'null':
        return (value(expression.value, scope) === null) !== expression.not
      case 'not': {
        const held = value(expression.value, scope)
        return held === null ? null : !held
      }
      case 'and':
      case 'or':
        return joined(expression.is === 'and', expression.parts, scope)
      case 'compare':
        return compared(expression.sign, value(expression.left, scope), value(expression.right, scope))
      case 'in':
        return isIn(expression.list, value(expression.value, scope), scope)
      case 'call':
        return called(expression, scope)
      case 'select':
        return selected(expression.as, expression.select, scope)
    }
  }

  function member(held: Sql, name: string): Sql {
    if (held === null) return null
    if (typeof held !== 'object' || !('members' in held)) throw refused(`Cannot access field ${name}`)
    const found = held.members.get(name)
    if (found === undefined) throw refused(`Field name ${name} does not exist`)
    return found
  }

  function joined(all: boolean, parts: readonly Expression[], scope: Scope): boolean | null {
    let unknown = false
    for (const part of parts) {
      const held = value(part, scope)
      if (held === null) unknown = true
      else if (held !== all) return !all
    }
    return unknown ? null : all
  }

  function compared(sign: string, left: Sql, right: Sql): boolean | null {
    if (left === null || right === null) return null
    if (sign === '=') return equal(left, right)
    if (sign === '<>') return !equal(left, right)
    const order = ordered(left, right)
    return sign.startsWith('<')
      ? order < 0 || (sign === '<=' && order === 0)
      : order > 0 || (sign === '>=' && order === 0)
  }

  /** A list that does not depend on the row is hashed. */
  function isIn(list: Expression, sought: Sql, scope: Scope): boolean | null {
    if (sought === null) return null
    let set = sets.get(list)
    if (!set) {
      const elements = list.is === 'select' ? rows(list.select, scope).map(([element]) => element!) : value(list, scope)
      set = new Set(((elements ?? []) as readonly Sql[]).filter((element) => element !== null).map(keyOf))
      if (list.is === 'parameter' || list.is === 'select') sets.set(list, set)
    }
    return set.has(keyOf(sought))
  }

  function called({ name, args, names }: Extract<Expression, { is: 'call' }>, scope: Scope): Sql {
    if (name === 'if') return value(holds(args[0]!, scope) ? args[1]! : args[2]!, scope)
    if (name === 'error') throw refused(String(value(args[0]!, scope)))
    const held = args.map((arg) => value(arg, scope))
    if (name === 'struct') return { type: 'struct', members: new Map(held.map((each, at) => [names[at]!, each])) }
    const fn = functions[name]
    if (!fn) throw refused(`Function not found: ${name}`)
    return fn(...held)
  }

  function selected(as: 'scalar' | 'exists' | 'array' | 'list', select: Select, scope: Scope): Sql {
    if (as === 'exists') return exists(select, scope)
    const found = rows(select, scope).map(([first]) => first!)
    if (as === 'scalar' && found.length > 1) throw refused('Scalar subquery produced more than one element')
    return as === 'scalar' ? (found[0] ?? null) : found
  }

  /** Whether a row of one derived table meets `column = …`: found by an index, as a join would. */
  function exists(select: Select, scope: Scope): boolean {
    const [source, ...others] = select.from
    const parts = select.where?.is === 'and' ? select.where.parts : select.where ? [select.where] : []
    if (source?.is !== 'select' || others.length > 0) return matching(select, scope).length > 0
    const names = new Set(source.select.columns.map(({ alias }) => alias))
    const isOwn = (side: Expression) => side.is === 'path' && names.has(side.names[0]!)
    const equality = parts.find(
      (part) => part.is === 'compare' && part.sign === '=' && isOwn(part.right) && !mentions(part.left, names),
    )
    if (equality?.is !== 'compare' || equality.right.is !== 'path') return matching(select, scope).length > 0
    let index = indexes.get(select)
    if (!index) {
      index = new Map()
      for (const row of sourceRows(source, scope)) {
        const key = row.get(equality.right.names[0]!)!
        if (key !== null) index.set(keyOf(key), [...(index.get(keyOf(key)) ?? []), row])
      }
      indexes.set(select, index)
    }
    const sought = value(equality.left, scope)
    const candidates = sought === null ? [] : (index.get(keyOf(sought)) ?? [])
    return candidates.some((names) => holds(select.where!, { names, outer: scope }))
  }

  function mentions(expression: Expression, names: ReadonlySet<string>): boolean {
    return [...names].some((name) =>
      JSON.stringify(expression, (_, each) => (typeof each === 'bigint' ? '' : each)).includes(`"${name}"`),
    )
  }

  function sourceRows(source: Source, scope: Scope): ReadonlyMap<string, Sql>[] {
    const known = derived.get(source)
    if (known) return known
    if (source.is === 'table') {
      const rows = tableOf(source.path).rows.map((row) => new Map(Object.entries(row)))
      derived.set(source, rows)
      return rows
    }
    if (source.is === 'unnest') {
      const list = (value(source.list, scope) ?? []) as readonly Sql[]
      return list.map((element) => new Map([[source.alias, element]]))
    }
    const rows_ = rows(source.select, scope).map(
      (row) => new Map(source.select.columns.map(({ alias }, at) => [alias, row[at]!])),
    )
    const named = rows_.map((names) =>
      source.alias === ''
        ? names
        : new Map<string, Sql>([...names, [source.alias, { type: 'struct', members: names }]]),
    )
    // the connector's derived tables depend on parameters and tables alone
    derived.set(source, named)
    return named
  }

  /** The rows that a selection is made of, each as a scope. */
  function matching({ from, where }: Select, scope: Scope): Scope[] {
    const scopes = from.reduce<Scope[]>(
      (scopes, source) => scopes.flatMap((outer) => sourceRows(source, outer).map((names) => ({ names, outer }))),
      [scope],
    )
    return where ? scopes.filter((each) => holds(where, each)) : scopes
  }

  function rows(select: Select, scope: Scope): Sql[][] {
    const { columns, distinct, grouped } = select
    const scopes = matching(select, scope)
    const isCount = columns.some(({ value }) => value.is === 'call' && ['count', 'sum'].includes(value.name))
    if (!isCount) {
      const found = scopes.map((each) => columns.map((column) => value(column.value, each)))
      return distinct ? [...new Map(found.map((row) => [row.map(keyOf).join(), row])).values()] : found
    }
    const groups = new Map<string, Scope[]>()
    if (!grouped) groups.set('', scopes)
    for (const each of grouped ? scopes : []) {
      const key = keyOf(value(columns[0]!.value, each))
      groups.set(key, [...(groups.get(key) ?? []), each])
    }
    return [...groups.values()].map((group) =>
      columns.map(({ value: column }) => {
        if (column.is !== 'call' || !['count', 'sum'].includes(column.name)) return value(column, group[0]!)
        if (column.name === 'count') return BigInt(group.length)
        const numbers = group.map((each) => value(column.args[0]!, each) as bigint)
        return numbers.length === 0 ? null : numbers.reduce((sum, number) => sum + number)
      }),
    )
  }

  function holds(expression: Expression, scope: Scope): boolean {
    return value(expression, scope) === true
  }

  return { value, holds, rows, sourceRows }
}
