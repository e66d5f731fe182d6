export {
  assembleCatalogue,
  type CatalogueRows,
  type ForeignKeyPartRow,
  type KeyPartRow,
  type ViewRow,
} from './assemble-catalogue.js'
export { compile } from './compile.js'
export { type CompiledCount, compileCount } from './compile-count.js'
export { type CompiledCountEach, compileCountEach } from './compile-count-each.js'
export { type CompiledErase, columnsOfErase, compileErase } from './compile-erase.js'
export { type CompiledPointers, compilePointers, type ReferencingTable } from './compile-pointers.js'
export { type AskedColumns, compileRead, missingColumns } from './compile-read.js'
export { compileUnchanged } from './compile-unchanged.js'
export { conditionOf, joined, targetsOf } from './condition.js'
export {
  cancelledFailure,
  closedFailure,
  type FailureReason,
  failure,
  missingCollectionFailure,
  missingColumnFailure,
  missingHostFailure,
} from './connection/connection-failure.js'
export { checkedOptions, type SqlConnectorOptions } from './connection/connector-options.js'
export {
  batchBytes,
  type CursorOptions,
  type RowCursor,
  type SqlDriver,
  type SqlSession,
  type StatementBatch,
  type StatementResult,
  type WatchOptions,
} from './connection/driver.js'
export {
  type Ask,
  connectionFailure,
  type DriverErrors,
  ruleInMessage,
} from './connection/driver-errors.js'
export { driverLoader } from './connection/driver-loader.js'
export { type FencingWords, namedLocks } from './connection/fencing.js'
export {
  type ListedCatalogueOptions,
  type ListedColumn,
  type ListedTables,
  listedCatalogue,
} from './connection/listed-catalogue.js'
export { type KnownFailure, type NetworkSentences, networkFailure } from './connection/network-failure.js'
export { pushedRows, type RowReceiver, type RowSender } from './connection/pushed-rows.js'
export { createSqlConnection, type SqlCatalogue, type SqlConnectionOptions } from './connection/sql-connection.js'
export { type StreamingDriver, streamingSession } from './connection/streaming-session.js'
export {
  repeatedOnConflict,
  standardTransactions,
  type TimeLimitWords,
  type TransactionWords,
} from './connection/transaction.js'
export { type UrlWords, urlEncryption } from './connection/url-encryption.js'
export type {
  Condition,
  KeyTarget,
  PointedKey,
  SqlColumn,
  SqlDialect,
  SqlTable,
  Statement,
  ValueParser,
} from './dialect.js'
export {
  ambiguousFailure,
  changedSinceFailure,
  type RefusingRule,
  referencedSinceFailure,
  refusedFailure,
  sharedSinceFailure,
} from './erase-failures.js'
export type { BoundList } from './erasing/bound-list.js'
export {
  type DocumentWords,
  documentMembers,
  type GuardedWrites,
  oneAroundAnother,
} from './erasing/document-members.js'
export {
  type ParameterList,
  parameterDialect,
  type ServerWords,
  type TypedColumn,
} from './erasing/parameter-dialect.js'
export { referencedKey } from './erasing/referenced-key.js'
export { rowSource } from './erasing/row-source.js'
export { setErasing } from './erasing/set-erasing.js'
export type { Expression, Form, ListedAssignment, Operand, RowSource, SqlShapes } from './erasing/sql-shapes.js'
export { exactTuples, holds } from './erasing/tuple-lists.js'
export type {
  DocumentTexts,
  SqlAssignment,
  SqlErasing,
  SqlErasingDialect,
  SqlKeys,
  SqlMember,
  SqlMemberWrite,
  SqlTouch,
} from './erasing-dialect.js'
export { inOneForm } from './in-one-form.js'
export { type AnyForeignKeyPartRow, incomingForeignKeys } from './incoming-foreign-keys.js'
export { jsonPath, mayHideNumbers, parseJson, parseWrittenJson, withExponents, writeJson } from './json-text.js'
export { documentForms, type TextBinder, textBinders } from './key-binders.js'
export { type ListKeysOptions, listKeys } from './list-keys.js'
export {
  decimalText,
  finiteText,
  matchingText,
  plainNumber,
  plainText,
  shortestSingle,
  wholeText,
} from './number-text.js'
export { rowsOf } from './rows-of.js'
export { smallLetters } from './small-letters.js'
export { isDay, utcMoment } from './utc-moment.js'
export { kindOfType } from './value-kind.js'
export { wholeColumn } from './whole-column.js'
