import { canonicalHash } from '../../crypto/canonical-hash.js'
import type { AuditEntry } from '../../model/audit-entry.js'

/**
 * An entry of the audit trail commits to everything it says, to its place, and through the previous hash to all entries
 * before it.
 */
export function entryHash(entry: Omit<AuditEntry, 'id' | 'hash'>): string {
  const { sequence, previousHash, createdAt, actor, action, subject, detail } = entry
  return canonicalHash({ sequence, previousHash, createdAt, actor, action, subject, detail })
}

/** One sentence for each place where entries about one subject do not form a whole chain from its beginning. */
export function chainProblems(entries: readonly AuditEntry[], subject: string): string[] {
  const problems: string[] = []
  let before: AuditEntry | undefined
  for (const [at, entry] of entries.entries()) {
    const name = `Entry ${at + 1} of the audit trail`
    if (entry.subject !== subject) problems.push(`${name} is about something else.`)
    if (entry.hash !== entryHash(entry)) problems.push(`${name} was changed: its hash does not fit.`)
    if (entry.sequence !== at + 1) problems.push(`${name} says it is number ${entry.sequence}: entries are missing.`)
    if (entry.previousHash !== (before?.hash ?? null)) problems.push(`${name} does not follow the entry before it.`)
    before = entry
  }
  return problems
}
