import { retryWithBackOff } from '../../async/retry-with-back-off.js'
import { isOutcomeUnknown, isPrivacyError, PrivacyError } from '../../errors.js'
import type { AuditEntry } from '../../model/audit-entry.js'
import { illFormedText, isWellFormedText } from '../../model/is-well-formed-text.js'
import type { AuditEntryRow } from '../../ports/proof-rows.js'
import type { PrivacyRequestRow } from '../../ports/rows.js'
import type { Runtime } from '../../ports/runtime.js'
import type { Storage, Write } from '../../ports/storage.js'
import { entryHash } from '../../results/proof/chain-problems.js'
import type { ActionContext } from '../action-context.js'
import { inOrder, type ListOptions, listIssues, type Page, readPage, refuseIssues } from '../paging.js'
import { tookEffect, untilWritten } from '../until-written.js'
import { writeAll } from '../write-all.js'

/** A new entry; its time and its place in the chain are added. */
export type NewAuditEntry = Pick<AuditEntry, 'actor' | 'action' | 'subject' | 'detail'>

/**
 * Adds an entry to the audit trail within the transaction that it reports, which has to be an `auditedTransaction`. It
 * must be the last write: a transaction that waits for its place in the chain then holds nothing that others wait for.
 */
export async function noteAudit(
  { runtime }: Pick<ActionContext, 'runtime'>,
  within: Storage,
  { actor, action, subject, detail }: NewAuditEntry,
): Promise<void> {
  const row = entryAfter(await chainHead(within, subject), { actor, action, subject, detail }, runtime)
  if (await tookEffect(() => within.table('auditEntry').insert(row))) return
  const message = `Something else was noted about '${subject}' at the same time: try again.`
  throw new PrivacyError('conflict', message, { kind: chainKind, id: subject })
}

const chainKind = 'audit trail'

/** The last entry of a chain. */
export type ChainHead = NonNullable<PrivacyRequestRow['auditHead']>

/** The head of a chain without entries. */
export const noEntries: ChainHead = { sequence: 0, hash: null }

async function chainHead(storage: Storage, subject: string): Promise<ChainHead> {
  const [last] = await storage.table('auditEntry').find({
    where: { subject: { equals: subject } },
    orderBy: [{ field: 'id', direction: 'desc' }],
    limit: 1,
  })
  return last ? headOf(last) : noEntries
}

const headOf = ({ sequence, hash }: AuditEntryRow): ChainHead => ({ sequence, hash })

/** Two transactions that append at once make the same id, and one of them is refused. */
function entryAfter(head: ChainHead, entry: NewAuditEntry, runtime: Runtime): AuditEntryRow {
  const { actor, action, subject, detail } = entry
  const sequence = head.sequence + 1
  const createdAt = runtime.now().toISOString()
  const chained = { sequence, previousHash: head.hash, createdAt, actor, action, subject, detail }
  const id = `${subject}/${String(sequence).padStart(8, '0')}`
  return { ...chained, id, version: 1, order: runtime.newId(), hash: entryHash(chained) }
}

/**
 * Applies writes together with the entry that reports them. `known` is the head of the chain as far as the caller knows it.
 * The chain is read only where that is undefined, or another entry came after it. `writes` gets the new head. Returns false
 * when the `replace` among them finds another version.
 */
export async function writeAudited(
  { storage, runtime }: Pick<ActionContext, 'storage' | 'runtime'>,
  known: ChainHead | undefined,
  entry: NewAuditEntry,
  writes: (head: ChainHead) => readonly Write[],
): Promise<boolean> {
  let head = known
  const { wrote } = await untilWritten(chainKind, undefined, async () => {
    const row = entryAfter(head ?? (await chainHead(storage, entry.subject)), entry, runtime)
    try {
      const all: readonly Write[] = [...writes(headOf(row)), { kind: 'auditEntry', insert: [row] }]
      return { wrote: await writeOnce(storage, row, () => writeAll(storage, all)) }
    } catch (error) {
      if (!isPrivacyError(error, 'conflict') || error.details.kind !== 'auditEntry') throw error
      head = undefined
      return undefined
    }
  })
  return wrote
}

/**
 * Does `write`, which inserts this entry. Where its answer is lost, the entry tells whether it was done, and if it was not, it
 * is done again.
 */
async function writeOnce(storage: Storage, row: AuditEntryRow, write: () => Promise<boolean>): Promise<boolean> {
  const isDone = async () => (await storage.table('auditEntry').get(row.id))?.order === row.order
  const doneAfterAll = async () => {
    if (await isDone()) return true
    try {
      // The first attempt may still be under way, and come first.
      return (await write()) || (await isDone())
    } catch (error) {
      if (isPrivacyError(error, 'conflict') && (await isDone())) return true
      throw error
    }
  }
  try {
    return await write()
  } catch (lost) {
    if (!isOutcomeUnknown(lost)) throw lost
    return retryWithBackOff(doneAfterAll, (error) => !isPrivacyError(error, 'unavailable')).catch((error) => {
      throw isPrivacyError(error, 'unavailable') ? lost : error
    })
  }
}

/**
 * A transaction with an audit entry. It is repeated as a whole when another transaction added an entry about the
 * subject first.
 */
export function auditedTransaction<Result>(
  storage: Storage,
  work: (within: Storage) => Promise<Result>,
): Promise<Result> {
  return untilWritten(chainKind, undefined, async () => {
    try {
      return { result: await storage.transaction(work) }
    } catch (error) {
      if (isPrivacyError(error, 'conflict') && error.details.kind === chainKind) return undefined
      throw error
    }
  }).then(({ result }) => result)
}

/** The name of a caller in the audit trail: the host itself, the root client, or a client by its id. */
export function auditActor(caller: string | undefined, rootClientId: string | undefined): string {
  if (caller === undefined) return 'host'
  return caller === rootClientId ? 'root' : caller
}

const byTime = [{ field: 'createdAt' }, { field: 'order' }] as const
const bySequence = [{ field: 'id' }] as const

/** All entries about one subject. */
export async function auditChain(storage: Storage, subject: string): Promise<readonly AuditEntry[]> {
  const where = { subject: { equals: subject } }
  return (await storage.table('auditEntry').find({ where, orderBy: bySequence })).map(shown)
}

/** What was granted, to which client, and by whom. */
export function auditActions({ storage }: Pick<ActionContext, 'storage'>) {
  return {
    async list({
      subject,
      ...paging
    }: Omit<ListOptions, 'search'> & { subject?: string } = {}): Promise<Page<AuditEntry>> {
      const issues = listIssues(paging)
      if (!isWellFormedText(subject ?? ''))
        issues.push({ loc: ['subject'], msg: illFormedText, type: 'ill_formed_text' })
      refuseIssues(issues)
      const where = subject === undefined ? {} : { subject: { equals: subject } }
      // Clocks of several processes differ; within a chain its own order counts.
      const orderBy = subject === undefined ? byTime : bySequence
      const entries = inOrder(storage.table('auditEntry'), orderBy)
      return readPage(entries, where, paging, shown)
    },
  }
}

function shown({ version: _, order: __, ...entry }: AuditEntryRow): AuditEntry {
  return entry
}
