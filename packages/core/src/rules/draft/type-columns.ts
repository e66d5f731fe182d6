import type { Column } from '../../model/catalogue.js'
import { nameWords } from './name-words.js'
import { wordSet } from './ownership-names.js'

export interface TypeColumn extends Pick<Column, 'name' | 'values'> {
  readonly kind?: Column['kind'] | undefined
}

/** Words for a row of any table: `entity_id`. */
const rowWords = wordSet('entity object resource record row subject target model item')
/** Among these, words that say the table where they stand alone: `entity`. A `subject` or an `item` is a text of its own. */
const ownWords = wordSet('entity object resource')

/** Next to the id of such a row these say of which table it is: `table_name`, `content_type`. Without blanks between words. */
const tableNames = wordSet(
  'table tablename entity entityname entitytype model modelname modeltype class classname relation contenttype resourcename resourcetype',
)

/**
 * The type column next to an id, which says what the id refers to: `owner_type` or `owner_kind` next to `owner_id`, in German
 * `bezug_typ` and `objekt_art`. In a log of changes, `entity` next to `entity_id`, or `table_name` next to `record_id`.
 */
export function typeColumn(columns: readonly TypeColumn[], name: string): TypeColumn | undefined {
  const base = /^(.+?)_?(?:id|pk)$/i.exec(name)?.[1]?.toLowerCase().replaceAll('_', '')
  if (base === undefined) return undefined
  const isRow = rowWords.has(base)
  const wanted = ['type', 'kind', 'typ', 'art', 'table'].map((word) => base + word)
  const find = (isMeant: (joined: string) => boolean, isKind = isText) =>
    columns.find((column) => isKind(column) && isMeant(column.name.toLowerCase().replaceAll('_', '')))
  const own = find((joined) => wanted.includes(joined) || (joined === base && ownWords.has(base)))
  if (own || !isRow) return own
  // Django keeps the types in a table, and here their key.
  return (
    find((joined) => tableNames.has(joined)) ??
    find(
      (joined) => joined === 'contenttypeid',
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
