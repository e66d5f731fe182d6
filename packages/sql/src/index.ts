export {
  assembleCatalogue,
  type CatalogueRows,
  type ForeignKeyPartRow,
  type KeyPartRow,
} from './assemble-catalogue.js'
export { type CompiledCountEach, compileCountEach } from './compile-count-each.js'
export { type CompiledErase, columnsOfErase, compileErase } from './compile-erase.js'
export { compileCount, compileRead, missingColumns } from './compile-read.js'
export type { Condition, KeyTarget, PointedKey, SqlColumn, SqlDialect, SqlTable, Statement } from './dialect.js'
export { type RefusingRule, refusedFailure } from './erase-failures.js'
export type {
  SqlAssignment,
  SqlErasing,
  SqlErasingDialect,
  SqlKeys,
  SqlMember,
  SqlMemberWrite,
  SqlTouch,
} from './erasing-dialect.js'
export { type ListKeysOptions, listKeys } from './list-keys.js'
export { kindOfType } from './value-kind.js'
