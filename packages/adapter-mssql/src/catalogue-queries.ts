import { cascadingKeys } from './same-references.js'

/** Names are compared as they are written, whatever the collation of the database. */
const ofTable = `o.schema_id = schema_id(@1) and o.type in ('U', 'V') and o.is_ms_shipped = 0
    and (@2 is null or o.name collate Latin1_General_100_BIN2 = @2)`

/** A user's own type is listed as the type that it stands for. Types of the common language runtime keep their names. */
export const columnsQuery = `select o.name, c.name, c.column_id, coalesce(b.name, t.name), convert(int, c.max_length),
    convert(int, c.precision), convert(int, c.scale), c.collation_name,
    convert(int, collationproperty(c.collation_name, 'CodePage')), c.is_nullable,
    convert(bit, case when c.is_computed = 1 or c.is_identity = 1 or c.generated_always_type <> 0 or t.name = 'timestamp' then 1 else 0 end),
    convert(bit, case when exists (select 1 from sys.check_constraints as k where k.parent_object_id = c.object_id and k.is_disabled = 0
      and lower(k.definition) in (lower(concat('(isjson(', quotename(c.name), ')=(1))')), lower(concat('(isjson(', quotename(c.name), ')>(0))')))) then 1 else 0 end),
    c.is_masked,
    convert(bit, case when c.is_computed = 1 or c.generated_always_type <> 0 or t.name = 'timestamp' then 1 else 0 end)
  from sys.columns as c join sys.objects as o on o.object_id = c.object_id
  join sys.types as t on t.user_type_id = c.user_type_id
  left join sys.types as b on b.user_type_id = c.system_type_id
  where ${ofTable} order by o.name, c.column_id`

/** A filtered index tells no rows apart, and finds only some. Included columns are no part of a key. */
export const keyPartsQuery = `select o.name, i.name, c.name, convert(int, ic.key_ordinal), i.is_primary_key, i.is_unique
  from sys.indexes as i join sys.objects as o on o.object_id = i.object_id
  join sys.index_columns as ic on ic.object_id = i.object_id and ic.index_id = i.index_id
  join sys.columns as c on c.object_id = ic.object_id and c.column_id = ic.column_id
  where i.type in (1, 2, 7) and i.has_filter = 0 and i.is_disabled = 0 and i.is_hypothetical = 0 and ic.key_ordinal > 0
    and ${ofTable}`

/** Those of the tables of the schema, and those that refer to them. */
export const foreignKeysQuery = `select schema_name(o.schema_id), o.name, fk.name, c.name, convert(int, fc.constraint_column_id),
    schema_name(ro.schema_id), ro.name, rc.name, fk.delete_referential_action_desc, fk.update_referential_action_desc
  from sys.foreign_keys as fk join sys.objects as o on o.object_id = fk.parent_object_id
  join sys.objects as ro on ro.object_id = fk.referenced_object_id
  join sys.foreign_key_columns as fc on fc.constraint_object_id = fk.object_id
  join sys.columns as c on c.object_id = fc.parent_object_id and c.column_id = fc.parent_column_id
  join sys.columns as rc on rc.object_id = fc.referenced_object_id and rc.column_id = fc.referenced_column_id
  where fk.is_disabled = 0 and (o.schema_id = schema_id(@1) or ro.schema_id = schema_id(@1))
    and (@2 is null or o.name collate Latin1_General_100_BIN2 = @2)`

/** A security policy that is enabled looks at every row of the table. */
const isSecured = `convert(bit, case when exists (select 1 from sys.security_predicates as r
    join sys.security_policies as s on s.object_id = r.object_id
    where r.target_object_id = o.object_id and s.is_enabled = 1) then 1 else 0 end)`

export const tablesQuery = `select o.name, convert(int, t.temporal_type), schema_name(h.schema_id), h.name,
    convert(int, t.history_retention_period), convert(int, t.history_retention_period_unit),
    t.is_tracked_by_cdc, t.is_memory_optimized, t.is_external,
    (select coalesce(sum(p.rows), 0) from sys.partitions as p where p.object_id = o.object_id and p.index_id in (0, 1)),
    ${cascadingKeys('o.object_id')},
    ${isSecured},
    (select concat(schema_name(k.schema_id), '.', k.name collate Latin1_General_100_BIN2) from sys.tables as k where k.history_table_id = o.object_id)
  from sys.objects as o left join sys.tables as t on t.object_id = o.object_id
  left join sys.tables as h on h.object_id = t.history_table_id
  where ${ofTable}`

/** What views name. A name of another database has no number here. */
export const viewsQuery = `select schema_name(v.schema_id), v.name, schema_name(o.schema_id), o.name, o.type, ${isSecured},
    convert(bit, case when exists (select 1 from sys.columns as c where c.object_id = o.object_id and c.is_masked = 1) then 1 else 0 end)
  from sys.views as v join sys.sql_expression_dependencies as d on d.referencing_id = v.object_id
  left join sys.objects as o on o.object_id = d.referenced_id`

/** Whether the schema is there, and whether the user sees every definition and every value. */
export const rightsQuery = `select schema_id(@1), has_perms_by_name(db_name(), 'DATABASE', 'VIEW DEFINITION'),
  has_perms_by_name(db_name(), 'DATABASE', 'UNMASK')`
