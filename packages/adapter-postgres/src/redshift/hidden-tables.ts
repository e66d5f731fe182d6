import { type CatalogueCollection, isPrivacyError } from '@habeas/core'
import type { Ask } from '@habeas/sql'

const queries = [
  'select relname from pg_catalog.svv_rls_relation where relschema = $1 and is_rls_on',
  'select table_name from pg_catalog.svv_attached_masking_policy where schema_name = $1',
]

/**
 * Asks which tables have policies that hide rows or mask values. Only a few users may ask that: for all others every table counts
 * as one whose policies are not known.
 */
export async function hiddenTables(
  schema: string,
  ask: Ask,
): Promise<(name: string) => Pick<CatalogueCollection, 'hidesRows' | 'policiesUnknown'>> {
  const hidden = new Set<string>()
  try {
    for (const query of queries) for (const [name] of await ask(query, [schema])) hidden.add(String(name))
  } catch (error) {
    if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'permission') throw error
    return () => ({ hidesRows: true, policiesUnknown: true })
  }
  return (name) => (hidden.has(name) ? { hidesRows: true } : {})
}
