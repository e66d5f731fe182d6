export {
  assembleCatalogue,
  type CatalogueRows,
  type ForeignKeyPartRow,
  type KeyPartRow,
} from './assemble-catalogue.js'
export { compileCount, compileRead, missingColumns } from './compile-read.js'
export type { Condition, KeyTarget, SqlColumn, SqlDialect, SqlTable, Statement } from './dialect.js'
export { type ListKeysOptions, listKeys } from './list-keys.js'
export { kindOfType } from './value-kind.js'
