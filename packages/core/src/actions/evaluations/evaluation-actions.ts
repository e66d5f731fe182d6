import { breather } from '../../async/breather.js'
import { canonicalHash } from '../../crypto/canonical-hash.js'
import { PrivacyError } from '../../errors.js'
import {
  type EvaluatedDocument,
  type Evaluation,
  type EvaluationStatus,
  type EvaluationSummary,
  evaluationStatuses,
  parseEvaluationInput,
} from '../../model/evaluation.js'
import { illFormedText, isWellFormedText } from '../../model/is-well-formed-text.js'
import { keySchema } from '../../model/key.js'
import type { Policy } from '../../model/policy.js'
import type { ResourceRow } from '../../ports/rows.js'
import { evaluationWarnings } from '../../rules/policy/evaluation-warnings.js'
import { widerKeyFinder } from '../../rules/policy/wider-keys.js'
import type { ActionContext } from '../action-context.js'
import { inOrder, listIssues, type Page, type Paging, readPage, refuseIssues } from '../paging.js'
import { auditActor, auditedTransaction, noteAudit } from '../proof/audit-actions.js'
import type { RequestCaller } from '../requests/request-context.js'
import { readTaxonomy, type Taxonomy } from '../resources/known-keys.js'
import { storedDatasets } from '../resources/stored-datasets.js'
import { writeAll } from '../write-all.js'
import { systemEvaluation } from './evaluate-systems.js'
import { missingKeys } from './missing-keys.js'
import { selectedSystems } from './selected-systems.js'

/** The most violations that an evaluation holds. */
const mostViolations = 1_000

export interface EvaluationListOptions extends Paging {
  /** Default: those of every policy. */
  readonly policyKey?: string | undefined
  /** Default: those with either. */
  readonly status?: EvaluationStatus | undefined
}

interface EvaluationSettings {
  /** Rejects with `not_found`. */
  policy(key: string): Promise<Policy>
  readonly rootClientId?: string | undefined
}

/** Evaluations of policies over what systems declare, and what was found at earlier times. */
export function evaluationActions(context: ActionContext, { policy, rootClientId }: EvaluationSettings) {
  const { storage, runtime } = context
  const table = storage.table('evaluation')

  async function policyRowOf(key: string): Promise<ResourceRow<Policy>> {
    for (;;) {
      // A default policy is stored when it is first asked for.
      await policy(key)
      const row = await storage.table('policy').get(key)
      if (row) return row
    }
  }

  async function need(id: string): Promise<EvaluationSummary> {
    const isId = keySchema.safeParse(id).success
    const row = isId ? await table.get(id) : undefined
    if (row) return shown(row)
    const message = `There is no evaluation ${isId ? `'${id}'` : 'with this id'}.`
    throw new PrivacyError('not_found', message, { kind: 'evaluation', id: isId ? id : '' })
  }

  return {
    async evaluate(key: string, input: unknown = {}, { caller }: RequestCaller = {}): Promise<Evaluation> {
      const selection = parseEvaluationInput(input)
      const policyRow = await policyRowOf(key)
      const [systemRows, taxonomy, datasetTotal] = await Promise.all([
        selectedSystems(storage, selection),
        readTaxonomy(storage),
        storage.table('dataset').count(),
      ])
      const breathe = breather()
      const policies = [policyRow.document]
      const systems = systemRows.map(({ document }) => document)
      const { links } = taxonomy
      const wider = widerKeyFinder(policyRow.document, links)
      const evaluation = systemEvaluation({ policies, systems, links, most: mostViolations, wider, breathe })
      const missing = missingKeys(taxonomy.known)
      missing.addPolicy(policyRow.document)
      const evaluatedSystems: EvaluatedDocument[] = []
      for (const row of systemRows) {
        missing.addSystem(row.document)
        evaluatedSystems.push(evaluatedDocument(row))
        await breathe()
      }
      await evaluation.addDeclarations()
      const datasets: EvaluatedDocument[] = []
      const categorized = new Set<string>()
      for await (const row of storedDatasets(storage, evaluation.datasetKeys)) {
        datasets.push(evaluatedDocument(row))
        const groups = await evaluation.addDataset(row.document)
        missing.addDataset(row.document, groups)
        if (groups.some(({ categories }) => categories.length > 0)) categorized.add(row.id)
        await breathe()
      }
      evaluation.addTogether()
      missing.refuse(key, new Set(datasets.map((each) => each.key)))
      await breathe()
      const { first, count } = evaluation.found()
      const isWhole = selection.systems === undefined && selection.registries === undefined
      const unreferenced = isWhole ? datasetTotal - datasets.length : 0
      const { registries = [] } = selection
      const summary: EvaluationSummary = {
        id: `eva_${runtime.newId()}`,
        policyKey: policyRow.id,
        status: count > 0 ? 'FAIL' : 'PASS',
        violationCount: count,
        createdAt: runtime.now().toISOString(),
        createdBy: auditActor(caller, rootClientId),
      }
      const detail = {
        violations: first.map(({ violation }) => violation),
        warnings: evaluationWarnings(policyRow.document, {
          ...{ systems, registries, categorized, unreferenced },
          wider: wider.warnings(),
        }),
        evaluated: {
          policy: evaluatedDocument(policyRow),
          systems: evaluatedSystems,
          datasets,
          taxonomyHash: taxonomyHash(taxonomy),
        },
      }
      await writeAll(storage, [
        { kind: 'evaluation', insert: [{ ...summary, version: 1 }] },
        { kind: 'evaluationDetail', insert: [{ ...detail, id: summary.id, version: 1 }] },
      ])
      return { ...summary, ...detail }
    },

    async list({ policyKey, status, ...paging }: EvaluationListOptions = {}): Promise<Page<EvaluationSummary>> {
      const issues = listIssues(paging)
      if (status !== undefined && !evaluationStatuses.includes(status)) {
        issues.push({ loc: ['status'], msg: `must be one of ${evaluationStatuses.join(', ')}`, type: 'invalid_value' })
      }
      if (policyKey !== undefined && !isWellFormedText(policyKey)) {
        issues.push({ loc: ['policyKey'], msg: illFormedText, type: 'ill_formed_text' })
      }
      refuseIssues(issues)
      const where = {
        ...(policyKey !== undefined && { policyKey: { equals: policyKey } }),
        ...(status !== undefined && { status: { equals: status } }),
      }
      return readPage(inOrder(table, [{ field: 'createdAt', direction: 'desc' }]), where, paging, shown)
    },

    async get(id: string): Promise<Evaluation> {
      const summary = await need(id)
      const row = await storage.table('evaluationDetail').get(id)
      // It was removed meanwhile.
      if (!row) throw new PrivacyError('not_found', `There is no evaluation '${id}'.`, { kind: 'evaluation', id })
      const { version: _, ...detail } = row
      return { ...summary, ...detail }
    },

    async remove(id: string, { caller }: RequestCaller = {}): Promise<void> {
      const { policyKey, status } = await need(id)
      await auditedTransaction(storage, async (within) => {
        if (!(await within.table('evaluation').take(id))) return
        await within.table('evaluationDetail').take(id)
        const entry = {
          actor: auditActor(caller, rootClientId),
          action: 'evaluation_removed',
          subject: `evaluation:${id}`,
        }
        await noteAudit(context, within, { ...entry, detail: { policy: policyKey, status } })
      })
    },
  }
}

/** Of documents that cannot change: a storage may give the same one again, and a hash is most of what an evaluation costs. */
const hashes = new WeakMap<object, string>()

function evaluatedDocument({ id: key, version, document }: ResourceRow<object>): EvaluatedDocument {
  const hash = hashes.get(document) ?? canonicalHash(document)
  if (Object.isFrozen(document)) hashes.set(document, hash)
  return { key, version, hash }
}

function taxonomyHash({ links, known }: Taxonomy): string {
  const parents = Object.values(links).map((each) => [...each].sort())
  return canonicalHash([parents, Object.values(known).map((keys) => [...keys].sort())])
}

function shown({ version: _, ...evaluation }: EvaluationSummary & { readonly version: number }): EvaluationSummary {
  return evaluation
}
