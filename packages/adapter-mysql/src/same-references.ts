import type { SqlTable, Statement } from '@habeas/sql'

/**
 * The foreign keys by which a deletion cascades to rows that refer to a table, as one text, in any schema. `schema` and
 * `table` are expressions for its names.
 */
export const cascadingKeys = (schema: string, table: string) => `(select coalesce(group_concat(
    concat_ws('.', r.constraint_schema, r.table_name, r.constraint_name, r.delete_rule)
    order by r.constraint_schema, r.table_name, r.constraint_name separator ' '), '')
  from information_schema.referential_constraints r
  where r.unique_constraint_schema = ${schema} and r.referenced_table_name = ${table}
  and r.delete_rule in ('CASCADE', 'SET NULL', 'SET DEFAULT'))`

/**
 * Returns a statement that fails with error 1242 where these keys differ. While rows of a table are being deleted the server
 * lets nobody add a foreign key to it, so that nothing changes until the batch has taken effect.
 */
export function sameReferences(referencedBy: string, { path }: SqlTable): Statement {
  const [schema, table] = path as readonly [string, string]
  const many = '(select 1 union all select 2)'
  return {
    sql: `select case when cast(${cascadingKeys('?', '?')} as binary) = cast(? as binary) then 1 else ${many} end`,
    parameters: [schema, table, referencedBy],
  }
}
