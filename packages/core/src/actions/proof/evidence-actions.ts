import { evidenceKey, signEvidence } from '../../crypto/sign-evidence.js'
import type { Evidence } from '../../model/evidence.js'
import type { ExecutionLog } from '../../model/privacy-request.js'
import type { Storage } from '../../ports/storage.js'
import { planHash } from '../../results/proof/plan-hash.js'
import { requestRow, requestSubject } from '../requests/move-request.js'
import type { RequestContext } from '../requests/request-context.js'
import { showRequest } from '../requests/show-requests.js'
import { untilWritten } from '../until-written.js'
import { auditChain } from './audit-actions.js'

/** Runs share a plan that is remembered. Nobody changes one. */
const hashes = new WeakMap<object, string>()

function hashOf(plan: object): string {
  const hash = hashes.get(plan) ?? planHash(plan)
  hashes.set(plan, hash)
  return hash
}

/** The plan of a run, and the hash of its policy. */
export interface RunProof {
  readonly plan: object
  readonly policyHash?: string | undefined
}

/** The plan and the policy of a run, by their hashes, for the audit entry at its end. `known`: what the run has stored. */
export async function proofOfRun(
  storage: Storage,
  requestId: string,
  known: RunProof | undefined,
): Promise<Readonly<Record<string, string>>> {
  const proof = known ?? ((await storage.table('requestPlan').get(requestId)) as RunProof | undefined)
  if (!proof) return {}
  const { policyHash, plan } = proof
  return { planHash: hashOf(plan), ...(policyHash !== undefined && { policyHash }) }
}

/** Evidence for readers who trust the service no further than its key. */
export function evidenceActions(context: RequestContext) {
  const { storage, runtime } = context

  /** Undefined when the request was written to meanwhile. */
  async function collect(id: string): Promise<Omit<Evidence, 'signature'> | undefined> {
    const row = await requestRow(storage, id)
    const { daysLeft: _, ...request } = await showRequest(context, row)
    const planned = await storage.table('requestPlan').get(id)
    const receipt = (await storage.table('erasureReceipt').get(id))?.receipt ?? null
    const log = await logOf(storage, id)
    const audit = await auditChain(storage, requestSubject(id))
    if ((await requestRow(storage, id)).version !== row.version) return undefined
    const { sequence = 0, hash = '' } = audit.at(-1) ?? {}
    return {
      format: 'habeas-evidence/1',
      exportedAt: runtime.now().toISOString(),
      request,
      policy: { key: row.policyKey, hash: planned?.policyHash ?? null },
      plan: (planned?.plan as object | undefined) ?? null,
      receipt,
      audit,
      log,
      head: { sequence, hash },
    }
  }

  return {
    async exportEvidence(id: string): Promise<Evidence> {
      const content = await untilWritten('privacy request', id, () => collect(id))
      return signEvidence(content, await context.serviceKeys('evidence-signing'))
    },

    evidenceKey: async (): Promise<string> => evidenceKey(await context.serviceKeys('evidence-signing')),
  }
}

async function logOf(storage: Storage, requestId: string): Promise<readonly ExecutionLog[]> {
  const where = { requestId: { equals: requestId } }
  const rows = await storage.table('executionLog').find({ where, orderBy: [{ field: 'createdAt' }] })
  return rows.map(({ version: _, ...entry }) => entry)
}
