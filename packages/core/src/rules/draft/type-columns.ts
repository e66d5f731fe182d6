import type { Column } from '../../model/catalogue.js'
import { nameWords, snakeCase } from './name-words.js'
import { wordSet } from './ownership-names.js'

export interface TypeColumn extends Pick<Column, 'name' | 'values'> {
  readonly kind?: Column['kind'] | undefined
}

/** Words for a row of any table: `entity_id`. */
const rowWords = wordSet('entity object resource record row subject target model item')
/** Among these, words that say the table where they stand alone: `entity`. A `subject` or an `item` is a text of its own. */
const ownWords = wordSet('entity object resource')

/** Next to the id of such a row these say of which table it is. */
const tableNames =
  wordSet(`table table_name tablename entity entity_name entity_type model model_name model_type class class_name
  classname relation content_type resource_name resource_type`)

/**
 * The type column next to an id, which says what the id refers to: `owner_type` or `owner_kind` next to `owner_id`, in German
 * `bezug_typ` and `objekt_art`. In a log of changes, `entity` next to `entity_id`, or `table_name` next to `record_id`.
 */
export function typeColumn(columns: readonly TypeColumn[], name: string): TypeColumn | undefined {
  const words = snakeCase(name).split('_')
  const base = words.slice(0, -1).join('_')
  if (base === '' || !/^(id|pk)$/.test(words.at(-1) as string)) return undefined
  const isRow = rowWords.has(base)
  const wanted = ['type', 'kind', 'typ', 'art', 'table'].map((word) => `${base}_${word}`)
  const find = (isMeant: (name: string) => boolean, isKind = isText) =>
    columns.find((column) => isKind(column) && isMeant(snakeCase(column.name)))
  const own = find((each) => wanted.includes(each) || (each === base && ownWords.has(base)))
  if (own || !isRow) return own
  // Django keeps the types in a table, and here their key.
  return (
    find((each) => tableNames.has(each)) ??
    find(
      (each) => each === 'content_type_id',
      () => true,
    )
  )
}

const isText = ({ kind = 'string' }: TypeColumn) => kind === 'string'

/**
 * The value by which a type column means a table: one of its listed values, otherwise by convention the name of a class, or
 * in a column for names of tables its own.
 */
export function typeValue({ name, values }: TypeColumn, table: string, words: readonly string[]): string | undefined {
  if (values) return values.find((value) => nameWords(value).join('_') === words.join('_'))
  if (/table|relation/i.test(name)) return table
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}
