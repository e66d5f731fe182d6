export {
  assembleCatalogue,
  type CatalogueRows,
  type ForeignKeyPartRow,
  type KeyPartRow,
  type ViewRow,
} from './assemble-catalogue.js'
export { type CompiledCount, compileCount } from './compile-count.js'
export { type CompiledCountEach, compileCountEach } from './compile-count-each.js'
export { type CompiledErase, columnsOfErase, compileErase } from './compile-erase.js'
export { type CompiledPointers, compilePointers, type ReferencingTable } from './compile-pointers.js'
export { type AskedColumns, compileRead, missingColumns } from './compile-read.js'
export { compileUnchanged } from './compile-unchanged.js'
export type { Condition, KeyTarget, PointedKey, SqlColumn, SqlDialect, SqlTable, Statement } from './dialect.js'
export { changedSinceFailure, type RefusingRule, referencedSinceFailure, refusedFailure } from './erase-failures.js'
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
export { rowsOf } from './rows-of.js'
export { kindOfType } from './value-kind.js'
