import { type ForeignKey, isPrivacyError, type Row } from '@habeas/core'
import type { AnyForeignKeyPartRow, Ask, KeyPartRow } from '@habeas/sql'
import {
  columnsQuery,
  foreignKeysQuery,
  keyPartsQuery,
  rightsQuery,
  tablesQuery,
  viewsQuery,
} from './catalogue-queries.js'
import { lengthOfType, type MssqlListedColumn, typeOf } from './live-column.js'

export interface ColumnRow extends MssqlListedColumn {
  readonly masked: boolean
}

/** What a table is, beside its columns. */
export interface TableRow {
  readonly name: string
  /** Qualified. Null where no history is written. */
  readonly history: string | null
  /** For how long, in a unit; -1 where it never ends. */
  readonly retention: number
  readonly unit: number
  readonly captured: boolean
  readonly inMemory: boolean
  readonly external: boolean
  readonly rows: number
  readonly cascading: string
  readonly secured: boolean
  /** The table of which it is the history, qualified. */
  readonly historyOf: string | null
  readonly isView: boolean
}

/** A name in a view. Null where it lies in another database. */
export interface ViewPart {
  readonly view: readonly [schema: string, name: string]
  readonly named: readonly [schema: string, name: string] | null
  readonly type: string
  /** A security policy looks at its rows. */
  readonly secured: boolean
  readonly masked: boolean
}

export interface Rights {
  readonly schema: boolean
  readonly seesDefinitions: boolean
  readonly seesValues: boolean
}

const text = (value: Row[number]) => (value === null || value === undefined ? null : String(value))
const rule = (value: Row[number]) => String(value).toLowerCase().replaceAll('_', ' ') as ForeignKey['onDelete']

/** Asks the lists of a schema, or of one table in it. */
export function catalogueRows(schema: string) {
  const asked = async (ask: Ask, query: string, one?: string) => ask(query, [schema, one ?? null])
  return {
    async columns(ask: Ask, one?: string): Promise<ColumnRow[]> {
      return (await asked(ask, columnsQuery, one)).map((row) => {
        const [
          collection,
          name,
          position,
          base,
          bytes,
          precision,
          scale,
          collation,
          codePage,
          nullable,
          generated,
          json,
          masked,
          rewritten,
        ] = row
        const sized = { base: String(base), bytes: Number(bytes), precision: Number(precision), scale: Number(scale) }
        const type = typeOf(sized)
        return {
          ...sized,
          ...{ collection: String(collection), name: String(name), position: Number(position), type },
          ...{ nullable: Boolean(nullable), generated: Boolean(generated), rewritten: Boolean(rewritten) },
          length: lengthOfType(type) ?? null,
          ...{ collation: text(collation), codePage: codePage === null ? null : Number(codePage) },
          json: base === 'json' || Boolean(json),
          masked: Boolean(masked),
        }
      })
    },
    async keyParts(ask: Ask, one?: string): Promise<KeyPartRow[]> {
      return (await asked(ask, keyPartsQuery, one)).map(([collection, key, column, position, primary, unique]) => ({
        ...{ collection: String(collection), key: String(key), column: String(column), position: Number(position) },
        use: primary ? 'primary' : unique ? 'unique' : 'index',
      }))
    },
    async foreignKeys(ask: Ask, one?: string): Promise<AnyForeignKeyPartRow[]> {
      return (await asked(ask, foreignKeysQuery, one)).map((row) => ({
        ...{ tableSchema: String(row[0]), collection: String(row[1]), key: String(row[2]), column: String(row[3]) },
        ...{ position: Number(row[4]), schema: String(row[5]), referencedCollection: String(row[6]) },
        ...{ referencedColumn: String(row[7]), onDelete: rule(row[8]), onUpdate: rule(row[9]) },
      }))
    },
    async tables(ask: Ask, one?: string): Promise<TableRow[]> {
      return (await asked(ask, tablesQuery, one)).map((row) => {
        const [
          name,
          temporal,
          historySchema,
          history,
          retention,
          unit,
          captured,
          inMemory,
          external,
          rows,
          cascading,
          secured,
          of,
        ] = row
        return {
          ...{ name: String(name), history: history === null ? null : `${historySchema}.${history}` },
          ...{ retention: Number(retention ?? -1), unit: Number(unit ?? -1), rows: Number(rows) },
          ...{ captured: Boolean(captured), inMemory: Boolean(inMemory), external: Boolean(external) },
          ...{ cascading: String(cascading), secured: Boolean(secured), historyOf: text(of) },
          isView: temporal === null,
        }
      })
    },
    /** Undefined where the user may not ask: the server lets its owners alone do so, and whom they let. */
    async views(ask: Ask): Promise<ViewPart[] | undefined> {
      const rows = await ask(viewsQuery, []).catch((error: unknown) => {
        if (isPrivacyError(error, 'connection_failed') && error.details.reason === 'permission') return undefined
        throw error
      })
      return rows?.map(([schema, view, otherSchema, other, type, secured, masked]) => ({
        view: [String(schema), String(view)],
        named: other === null ? null : [String(otherSchema), String(other)],
        type: String(type).trim(),
        ...{ secured: Boolean(secured), masked: Boolean(masked) },
      }))
    },
    async rights(ask: Ask): Promise<Rights> {
      const [[id, definitions, values] = []] = await ask(rightsQuery, [schema])
      return { schema: id !== null && id !== undefined, seesDefinitions: definitions === 1, seesValues: values === 1 }
    },
  }
}
