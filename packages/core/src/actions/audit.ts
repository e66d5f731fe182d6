import type { AuditEntry } from '../model/audit-entry.js'
import type { AuditEntryRow } from '../ports/rows.js'
import type { Storage, Where } from '../ports/storage.js'
import type { ActionContext } from './context.js'
import { type ListOptions, listIssues, type Page, readPage, refuseIssues } from './paging.js'

/** Notes who did what, within the transaction that does it. */
export async function noteAudit(
  context: Pick<ActionContext, 'runtime'>,
  within: Storage,
  entry: Omit<AuditEntry, 'id' | 'createdAt'>,
): Promise<void> {
  const { runtime } = context
  await within
    .table('auditEntry')
    .insert({ ...entry, id: runtime.newId(), version: 1, createdAt: runtime.now().toISOString() })
}

/** What was granted, to whom and by whom. */
export function auditActions({ storage }: Pick<ActionContext, 'storage'>) {
  return {
    /** Oldest first. `subject`: entries about one thing, such as `client:ID`. */
    async list({
      subject,
      ...paging
    }: Omit<ListOptions, 'search'> & { subject?: string } = {}): Promise<Page<AuditEntry>> {
      refuseIssues(listIssues(paging))
      const where = subject === undefined ? {} : { subject: { equals: subject } }
      type Condition = Where<'auditEntry'>
      const plain = ({ version: _, ...entry }: AuditEntryRow): AuditEntry => entry
      return readPage<AuditEntryRow, Condition, AuditEntry>(storage.table('auditEntry'), where, paging, plain)
    },
  }
}
