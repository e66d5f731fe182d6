import type { KeyField, KeyGroup, Value } from '@habeas/core'
import { sql } from 'kysely'
import type { Condition, KeyTarget, SqlColumn, SqlDialect, SqlTable } from './dialect.js'
import type { SqlErasingDialect } from './erasing-dialect.js'
import { boundKeys, numbersKeys } from './exact-keys.js'
import { pointedKey } from './pointed-key.js'

/** Exact keys can only be compared by a dialect that erases. */
type MaybeErasing<Column extends SqlColumn, Bound> = SqlDialect<Column, Bound> &
  Partial<Pick<SqlErasingDialect<Column, Bound>, 'erasing'>>

/** Returns the condition of rows that meet at least one group, or undefined when no row can. */
export function conditionOf<Column extends SqlColumn, Bound>(
  anyOf: readonly KeyGroup[],
  table: SqlTable<Column>,
  dialect: MaybeErasing<Column, Bound>,
): Condition | undefined {
  const alternatives = anyOf.flatMap((group) => groupCondition(group, table, dialect) ?? [])
  return alternatives.length === 0 ? undefined : joined(alternatives, 'or')
}

function groupCondition<Column extends SqlColumn, Bound>(
  group: KeyGroup,
  table: SqlTable<Column>,
  dialect: MaybeErasing<Column, Bound>,
): Condition | undefined {
  const targets = targetsOf(group, table)
  const others = equalities(group.when ?? [], table, dialect)
  if (!others) return undefined
  if (group.exact) {
    // rows whose documents have changed are named no more, and a list of no keys is none that every server takes
    if (group.values[0]?.length === 0) return undefined
    const { erasing } = dialect
    if (!erasing) throw new Error('exact keys are for connectors that erase')
    const columns = targets.map(({ column }) => column.name)
    const named = { columns, values: group.values }
    const held = [erasing.holding(boundKeys(named, table, erasing.keyBinder))]
    const numbers = numbersKeys(named, table, erasing)
    if (numbers) held.push(erasing.holding(numbers.keys))
    return joined([joined(held, 'or'), ...others], 'and')
  }
  const packed = group.spelledAs ? undefined : packedCondition(targets, group, dialect)
  if (packed) return joined([packed, ...others], 'and')
  const { keys } = bindTuples(targets, group.values, dialect)
  const parts = targets.map((target, part) => matching(target, keys[part]!, dialect))
  const conditions = parts.filter((condition) => condition !== undefined)
  if (conditions.length < parts.length) return undefined
  conditions.push(...others)
  // the conditions of its parts already select a single tuple exactly
  const together = targets.length > 1 && keys[0]!.length > 1 ? dialect.tuples(targets, keys) : undefined
  if (together) conditions.push(together)
  return joined(conditions, 'and')
}

/** Returns the condition that a row holds one of the UUIDs, where they need not be bound one by one. */
function packedCondition<Column extends SqlColumn, Bound>(
  [target, ...more]: readonly KeyTarget<Column>[],
  group: KeyGroup,
  dialect: SqlDialect<Column, Bound>,
): Condition | undefined {
  if (!target || more.length > 0 || !dialect.oneOfUuids) return undefined
  const { uuids } = group
  return uuids && dialect.oneOfUuids(target, uuids)
}

/** Returns the conditions of `when`, or undefined when no row can meet one of them. `as` may change how a field is compared. */
export function equalities<Column extends SqlColumn, Bound>(
  when: NonNullable<KeyGroup['when']>,
  table: SqlTable<Column>,
  dialect: SqlDialect<Column, Bound>,
  as: (target: KeyTarget<Column>) => KeyTarget<Column> = (target) => target,
): Condition[] | undefined {
  const wanted = when.map(({ path, equals }) => {
    const target = as(targetOf({ path }, table))
    return matching(target, bindTuples([target], [[equals]], dialect).keys[0]!, dialect)
  })
  const conditions = wanted.filter((condition) => condition !== undefined)
  return conditions.length < wanted.length ? undefined : conditions
}

function matching<Column extends SqlColumn, Bound>(
  target: KeyTarget<Column>,
  keys: readonly Bound[],
  dialect: SqlDialect<Column, Bound>,
): Condition | undefined {
  return keys.length === 0 ? undefined : dialect.oneOf(target, keys)
}

/** Returns the fields of a group, bound to their live columns. */
export function targetsOf<Column extends SqlColumn>(
  { fields, spelledAs }: Pick<KeyGroup, 'fields' | 'spelledAs'>,
  table: SqlTable<Column>,
): KeyTarget<Column>[] {
  const targets = fields.map((field) => targetOf(field, table))
  if (!spelledAs) return targets
  const { columns } = pointedKey(spelledAs, table)
  return targets.map((target, part) => ({ ...target, as: columns[part]! }))
}

/** Returns a field, bound to its live column. */
export function targetOf<Column extends SqlColumn>(field: KeyField, table: SqlTable<Column>): KeyTarget<Column> {
  const [name, ...path] = field.path
  const column = table.columns.get(name!)
  if (!column) throw new Error(`compiled before checking the columns: ${name} is unknown`)
  const kind = field.kind === undefined ? {} : { kind: field.kind }
  return { column, path, ...kind, caseInsensitive: field.caseInsensitive ?? false, trimmed: field.trimmed ?? false }
}

/** Binds tuples. If one part cannot be bound, the tuple matches no row and is left out. `positions` are those of the others. */
export function bindTuples<Column extends SqlColumn, Bound>(
  targets: readonly KeyTarget<Column>[],
  values: readonly ArrayLike<Value>[],
  dialect: SqlDialect<Column, Bound>,
): { readonly keys: Bound[][]; readonly positions: number[] } {
  const binders = targets.map((target) => dialect.binder(target))
  const keys: Bound[][] = targets.map(() => [])
  const positions: number[] = []
  const tuple: Bound[] = new Array(targets.length)
  const count = values[0]?.length ?? 0
  next: for (let row = 0; row < count; row++) {
    for (let part = 0; part < targets.length; part++) {
      const bound = binders[part]!(values[part]![row]!)
      if (bound === undefined) continue next
      tuple[part] = bound
    }
    for (let part = 0; part < targets.length; part++) keys[part]!.push(tuple[part]!)
    positions.push(row)
  }
  return { keys, positions }
}

/** Returns the condition, beside that of the rows of the table that count at all. */
export function within({ within: filter }: Pick<SqlTable, 'within'>, condition: Condition): Condition {
  return filter ? joined([filter, condition], 'and') : condition
}

/** Joins conditions into one. */
export function joined(conditions: readonly Condition[], word: 'and' | 'or'): Condition {
  if (conditions.length === 1) return conditions[0]!
  const separator = word === 'and' ? sql` and ` : sql` or `
  return sql<boolean>`(${sql.join(conditions, separator)})`
}
