import type { CatalogueCollection, Column } from '../../model/catalogue.js'
import { lastPart, nameWords } from './name-words.js'

export const idSuffix = new Set(['id', 'uuid', 'guid'])
export const numberSuffix = new Set(['no', 'nr', 'number'])

/**
 * The column of a table that a column named after it refers to: its key, or where another unique column goes by such a name, that
 * one. `member_no` means `nr` or `member_number` rather than `id`, and `legacy_member_id` means `legacy_id`. Undefined where a
 * number may mean several. `words`: those of the name. `table`: those of the table.
 */
export function meantKey(
  target: CatalogueCollection,
  column: Column,
  words: readonly string[],
  table: readonly string[],
): Column | undefined {
  const key = keyColumn(target, column)
  if (!key || key.name === lastPart(column.name)) return key
  const rest = restOf(words, table)
  const isId = idSuffix.has(words.at(-1) as string)
  if (isId && rest.length === 1) return key
  const others = target.columns.filter(
    (each) => each !== key && isDeclaredKey(target, each) && holdsAlike(column, each),
  )
  const named = others.filter(({ name }) => {
    const own = restOf(nameWords(name), table)
    return rest.length === 1 ? own.at(-1) === rest[0] : own.join('_') === rest.join('_')
  })
  if (named.length === 1) return named[0]
  const isNumbered = others.some(({ name }) => isNumberWord(nameWords(name).at(-1)))
  return isId || (named.length === 0 && !isNumbered) ? key : undefined
}

/** What a name says besides the table. All words for numbers are one. */
function restOf(words: readonly string[], table: readonly string[]): readonly string[] {
  return words.filter((word) => !table.includes(word)).map((word) => (numberSuffix.has(word) ? 'no' : word))
}

const isNumberWord = (word = '') => numberSuffix.has(word) || word === 'ref' || word === 'key'

/**
 * The column that a column of this name would refer to: a unique column of the same name, or the primary key. Where no
 * key is declared, one that is named like the key of its table.
 */
export function keyColumn(target: CatalogueCollection, { name }: Column): Column | undefined {
  const { columns, primaryKey, uniqueKeys } = target
  const own = lastPart(name)
  const found =
    keysOfOne(target).find((column) => column === own) ?? (primaryKey.length === 1 ? primaryKey[0] : undefined)
  if (found !== undefined) return found.includes('.') ? undefined : columns.find((column) => column.name === found)
  if (primaryKey.length > 0 || uniqueKeys.length > 0) return undefined
  const table = nameWords(target.name).join('_')
  const isKey = (each: Column) => !each.array && !each.name.includes('.') && /^(.+_)?id$/.test(wordsOfKey(each.name))
  const likely = ['id', `${table}_id`, wordsOfKey(own)]
  return columns.filter(isKey).find((column) => likely.includes(wordsOfKey(column.name)))
}

const wordsOfKey = (name: string) => nameWords(name).join('_')

/** The columns that are a key alone. */
export function keysOfOne({ primaryKey, uniqueKeys }: CatalogueCollection): readonly string[] {
  const keys = [primaryKey, ...uniqueKeys]
  return [...new Set(keys.flatMap((key) => (key.length === 1 ? key : [])))]
}

export const isDeclaredKey = (collection: CatalogueCollection, { name }: Column) => keysOfOne(collection).includes(name)

export const isSameKind = ({ kind }: Column, key: Column) =>
  kind === undefined || key.kind === undefined || kind === key.kind || (kind === 'string' && key.kind === 'uuid')

/** A text may write a key of another type, as documents do. Whole numbers may have two types. */
export function holdsAlike(column: Column, key: Column): boolean {
  const isWhole = ({ kind }: Column) => kind === 'integer' || kind === 'decimal'
  const isText = column.kind === 'string' && key.kind === 'object_id'
  return isSameKind(column, key) || isText || (isWhole(column) && isWhole(key))
}
