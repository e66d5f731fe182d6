import { failure } from '@habeas/sql'

/** TRIM, TRANSLATE, STRING_AGG and paths that are no literals came with 2017. */
const leastVersion = 14

/** Databases that were made by an older server may go on as they did there. OPENJSON needs the level of 2016. */
const leastLevel = 130

/** Azure: their number of a version does not grow. */
const alwaysCurrent = new Set([5, 8])

/** Synapse, which lacks most of what an erasure needs. */
const warehouses = new Set([6, 11])

/** Throws where a server is too old for the statements. */
export function checkServer([version, edition, level]: readonly (number | null)[]): void {
  if (warehouses.has(edition ?? 0))
    throw failure('other', 'The server is a pool of Synapse, which locks no rows: give another server.')
  if (!alwaysCurrent.has(edition ?? 0) && (version ?? 0) < leastVersion) {
    const message = `The server is version ${version ?? 'unknown'} of SQL Server, and version 14 (2017) or later is needed: update the server.`
    throw failure('other', message)
  }
  if ((level ?? 0) < leastLevel) {
    const message = `The database works at compatibility level ${level ?? 'unknown'}, and 130 or later is needed: raise it with ALTER DATABASE … SET COMPATIBILITY_LEVEL.`
    throw failure('other', message)
  }
}
