import type { SqlTable, Statement } from '@habeas/sql'

/** This text in an error says that foreign keys have changed. */
export const referencedSince = 'habeas: referenced since'

/** The foreign keys by which a deletion cascades to rows that refer to a table, as one text, in any schema. */
export const cascadingKeys = (objectId: string) => `(select coalesce(string_agg(convert(nvarchar(max),
    concat(schema_name(fk.schema_id), '.', object_name(fk.parent_object_id), '.',
      fk.name collate Latin1_General_100_BIN2, '.', fk.delete_referential_action)), ' ')
    within group (order by fk.object_id), '')
  from sys.foreign_keys as fk
  where fk.referenced_object_id = ${objectId} and fk.delete_referential_action <> 0 and fk.is_disabled = 0)`

/**
 * Returns a statement that fails with error 245 where these keys differ. The table is locked by then, so that a foreign key is added
 * to it no earlier than the transaction ends.
 */
export const sameReferencesQuery = `select case when ${cascadingKeys("object_id(quotename(@1) + '.' + quotename(@2))")} collate Latin1_General_100_BIN2 = @3
    then 1 else convert(int, concat('${referencedSince} ', @3)) end`

export function sameReferences(referencedBy: string, { path }: SqlTable): Statement {
  const [schema, table] = path as readonly [string, string]
  return { sql: sameReferencesQuery, parameters: [schema, table, referencedBy] }
}
