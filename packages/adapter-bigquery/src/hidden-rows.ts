import { isForbidden, statusOf } from './failures.js'
import type { JobService } from './job-service.js'
import type { SchemaField } from './live-column.js'

export interface TableReference {
  readonly projectId: string
  readonly datasetId: string
  readonly tableId: string
}

/** Whether policies may hide something; not known where the service account may not ask. */
export type Policies = 'some' | 'none' | 'unknown'

/** Policies that hide rows or values of tables from their readers, also through a view. Each table is asked about once. */
export interface HiddenRows {
  /** Row access policies of a table. */
  rows(table: TableReference, signal?: AbortSignal): Promise<Policies>
  /** Policies on columns of a table. A view over it is described without them. */
  columns(table: TableReference, signal?: AbortSignal): Promise<Policies>
}

export function hiddenRows(ask: JobService['ask'], project: string): HiddenRows {
  const about = (judged: (path: string, signal?: AbortSignal) => Promise<boolean>) =>
    once(async ({ projectId, datasetId, tableId }, signal) => {
      // calls of the client are about one project
      if (projectId !== project) return 'unknown'
      const path = `/datasets/${encodeURIComponent(datasetId)}/tables/${encodeURIComponent(tableId)}`
      try {
        return (await judged(path, signal)) ? 'some' : 'none'
      } catch (error) {
        // 400: what kind of table it is, the service does not tell policies of it
        if (isForbidden(error) || statusOf(error) === 400) return 'unknown'
        if (statusOf(error) === 404) return 'none'
        throw error
      }
    })
  return {
    rows: about(async (path, signal) => {
      const found = await ask<{ rowAccessPolicies?: unknown[] }>(`${path}/rowAccessPolicies`, { pageSize: 1 }, signal)
      return (found.rowAccessPolicies ?? []).length > 0
    }),
    columns: about(async (path, signal) => {
      const { schema } = await ask<{ schema?: { fields?: readonly SchemaField[] } }>(path, {}, signal)
      return (schema?.fields ?? []).some(mayBeMasked)
    }),
  }
}

/** Whether a policy may mask values of the field, or of a member of it, for this service account. */
export function mayBeMasked({ policyTags, dataPolicies, fields = [] }: SchemaField): boolean {
  return (policyTags?.names ?? []).length > 0 || (dataPolicies ?? []).length > 0 || fields.some(mayBeMasked)
}

type Ask = (table: TableReference, signal?: AbortSignal) => Promise<Policies>

/** Several views may show one table. */
function once(ask: Ask): Ask {
  const asked = new Map<string, Promise<Policies>>()
  return (table, signal) => {
    const name = JSON.stringify([table.projectId, table.datasetId, table.tableId])
    const known = asked.get(name) ?? ask(table, signal)
    asked.set(name, known)
    return known
  }
}
