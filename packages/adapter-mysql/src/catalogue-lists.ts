import type { AnyForeignKeyPartRow, Ask } from '@habeas/sql'
import { cascadingKeys } from './same-references.js'
import type { ServerKind } from './server-version.js'

/** A column as the information schema lists it. */
export interface ColumnRow {
  readonly collection: string
  readonly name: string
  readonly position: number
  readonly type: string
  readonly dataType: string
  readonly nullable: number
  readonly length: number | null
  readonly precision: number | null
  readonly scale: number | null
  readonly charset: string | null
  readonly collation: string | null
  readonly extra: string
  readonly generation: string | null
}

/** One part of an index. An expression has no column, and the beginning of a text is no whole part. */
export interface IndexPartRow {
  readonly collection: string
  readonly key: string
  readonly column: string | null
  readonly position: number
  readonly unique: number
  readonly whole: number
  readonly method: string
}

/** What a table is, beside its columns. */
export interface TableRow {
  readonly schema: string
  readonly name: string
  readonly type: string
  readonly engine: string | null
  readonly rows: number | null
  readonly cascading: string
}

/** A view, with its statement where the user may see it. */
export interface DefinedView {
  readonly schema: string
  readonly name: string
  readonly updatable: number
  readonly definition: string | null
}

/** Everything that is asked of the information schema. Rows are put together here: it answers nested questions slowly. */
export type CatalogueLists = ReturnType<typeof catalogueLists>

/**
 * InnoDB takes both words for one, and MariaDB says RESTRICT where none was given. It hides the rules from users whose rights are
 * granted on tables, or are SELECT alone. SET DEFAULT stands for a rule that is not known, since nothing is inferred from it, and
 * rows that refer to others keep these from being deleted.
 */
const rule = (name: string) => `coalesce(replace(lower(${name}), 'restrict', 'no action'), 'set default')`

/** Each row of an answer is one document, so that names and numbers come in one form. */
export function catalogueLists(kind: ServerKind, schema: string) {
  const rows = async <Found>(ask: Ask, members: string, from: string, parameters: readonly unknown[]) => {
    const found = await ask(`select json_object(${members}) from information_schema.${from}`, parameters)
    return found.map(([row]) => JSON.parse(String(row)) as Found)
  }
  const ofSchema = (one: string | undefined) =>
    one === undefined
      ? ({ where: 'where t.table_schema = ?', parameters: [schema] } as const)
      : ({ where: 'where t.table_schema = ? and t.table_name = ?', parameters: [schema, one] } as const)
  const foreignKeys = (ask: Ask, where: string, parameters: readonly unknown[]) =>
    rows<AnyForeignKeyPartRow>(
      ask,
      `'tableSchema', t.table_schema, 'collection', t.table_name, 'key', t.constraint_name, 'column', column_name,
      'position', ordinal_position, 'schema', t.referenced_table_schema,
      'referencedCollection', t.referenced_table_name, 'referencedColumn', referenced_column_name,
      'onDelete', ${rule('delete_rule')}, 'onUpdate', ${rule('update_rule')}`,
      `key_column_usage t left join information_schema.referential_constraints r
      on r.constraint_schema = t.constraint_schema and r.constraint_name = t.constraint_name
      and r.table_name = t.table_name ${where}`,
      parameters,
    )

  return {
    columns(ask: Ask, one?: string): Promise<ColumnRow[]> {
      const { where, parameters } = ofSchema(one)
      return rows(
        ask,
        `'collection', t.table_name, 'name', column_name, 'position', ordinal_position, 'type', column_type,
        'dataType', data_type, 'nullable', is_nullable = 'YES', 'length', character_maximum_length,
        'precision', numeric_precision, 'scale', numeric_scale, 'charset', character_set_name,
        'collation', collation_name, 'extra', extra, 'generation', generation_expression`,
        `columns t ${where}`,
        parameters,
      )
    },
    /** The columns of MariaDB that a check makes documents, as pairs of names. */
    async documents(ask: Ask, one?: string): Promise<ReadonlySet<string>> {
      if (kind === 'mysql') return new Set()
      const text = `select table_name, check_clause from information_schema.check_constraints
        where constraint_schema = ?${one === undefined ? '' : ' and table_name = ?'}`
      const found = await ask(text, one === undefined ? [schema] : [schema, one])
      return new Set(
        found.flatMap(([table, clause]) => {
          // where one alternative is enough, the column may hold other texts
          const all = String(clause).replaceAll(/`((?:[^`]|``)+)` is null or (?=json_valid\(`\1`\))/gi, '')
          if (/\bor\b|\bxor\b|\bnot\b|\|\||!/i.test(withoutQuoted(all))) return []
          const checked = all.matchAll(/\bjson_valid\(`((?:[^`]|``)+)`\)(?=\s*(?:\)*\s*and\b|\)*$))/gi)
          return [...checked].map(([, column]) => JSON.stringify([String(table), column!.replaceAll('``', '`')]))
        }),
      )
    },
    indexParts(ask: Ask, one?: string): Promise<IndexPartRow[]> {
      const { where, parameters } = ofSchema(one)
      return rows(
        ask,
        `'collection', t.table_name, 'key', index_name, 'column', column_name, 'position', seq_in_index,
        'unique', non_unique = 0, 'whole', sub_part is null, 'method', index_type`,
        `statistics t ${where}`,
        parameters,
      )
    },
    foreignKeys(ask: Ask, one?: string): Promise<AnyForeignKeyPartRow[]> {
      const { where, parameters } = ofSchema(one)
      return foreignKeys(ask, `${where} and t.referenced_table_name is not null`, parameters)
    },
    /** Those of other databases that refer to tables of this one. */
    incoming: (ask: Ask): Promise<AnyForeignKeyPartRow[]> =>
      foreignKeys(ask, 'where t.referenced_table_schema = ? and t.table_schema <> ?', [schema, schema]),
    facts(ask: Ask, one?: string): Promise<TableRow[]> {
      const { where, parameters } = ofSchema(one)
      const cascading = one === undefined ? cascadingKeys('t.table_schema', 't.table_name') : `''`
      return rows(
        ask,
        `'schema', t.table_schema, 'name', t.table_name, 'type', table_type, 'engine', engine, 'rows', table_rows, 'cascading', ${cascading}`,
        `tables t ${where}`,
        parameters,
      )
    },
    async enginesWithTransactions(ask: Ask): Promise<ReadonlySet<string>> {
      const found = await ask(`select engine from information_schema.engines where transactions = 'YES'`, [])
      return new Set(found.map(([engine]) => String(engine).toLowerCase()))
    },
    /** Triggers that see the old values of rows, as pairs of table and trigger. A user without TRIGGER is told of none. */
    async triggers(ask: Ask): Promise<readonly (readonly [table: string, trigger: string])[]> {
      const text = `select distinct event_object_table, trigger_name from information_schema.triggers
        where event_object_schema = ? and event_manipulation in ('UPDATE', 'DELETE') order by 1, 2`
      return (await ask(text, [schema])).map(([table, trigger]) => [String(table), String(trigger)])
    },
    views: (ask: Ask): Promise<DefinedView[]> =>
      rows(
        ask,
        `'schema', t.table_schema, 'name', t.table_name, 'updatable', is_updatable = 'YES', 'definition', view_definition`,
        `views t where t.table_schema not in ('mysql', 'sys', 'information_schema', 'performance_schema')`,
        [],
      ),
    /** All tables that the user sees, in any database: names in the statements of views are looked up here. */
    async names(ask: Ask): Promise<ReadonlySet<string>> {
      const found = await ask('select table_schema, table_name from information_schema.tables', [])
      return new Set(found.map((names) => JSON.stringify(names.map(String))))
    },
    /** Whether the schema exists, as far as the user sees. */
    async exists(ask: Ask): Promise<boolean> {
      const found = await ask('select 1 from information_schema.schemata where schema_name = ?', [schema])
      return found.length > 0
    },
  }
}

function withoutQuoted(clause: string): string {
  return clause.replaceAll(/`(?:[^`]|``)*`|'(?:[^'\\]|''|\\.)*'/gs, '')
}
