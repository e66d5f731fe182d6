import { breather } from '../../async/breather.js'
import type { Dataset } from '../../model/dataset.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import type { Storage } from '../../ports/storage.js'
import type { Finding } from '../../rules/findings/finding.js'
import { prohibitionsOf } from '../../rules/policy/prohibitions.js'
import type { TaxonomyLinks } from '../../rules/policy/targets.js'
import type { PlacedViolation } from '../../rules/policy/violations.js'
import { appendTo } from '../../rules/value/append-to.js'
import type { ActionContext } from '../action-context.js'
import { readTaxonomy } from '../resources/known-keys.js'
import { storedDatasets } from '../resources/stored-datasets.js'
import { type FoundViolations, systemEvaluation } from './evaluate-systems.js'

/** A document that is written, or was just written. */
export type EvaluatedWrite =
  | { readonly kind: 'policy'; readonly document: Policy }
  | { readonly kind: 'system'; readonly document: System }
  | { readonly kind: 'dataset'; readonly document: Dataset }

/** The most violations that one write tells. */
const mostTold = 100

const noViolations: FoundViolations = { first: [], count: 0 }

/**
 * Evaluates documents as they are written, together with everything that is stored. Keys that do not exist are findings of
 * their own; here they match only themselves and keys below them.
 */
export function evaluatedWrites({ storage, options }: Pick<ActionContext, 'storage' | 'options'>) {
  const { evaluateWrites = 'off' } = options
  return {
    /** With the option `evaluateWrites: 'strict'`, throws `invalid_input` naming each violation that the document is part of. */
    async refuse(write: EvaluatedWrite): Promise<void> {
      if (evaluateWrites !== 'strict') return
      const { first } = await violationsAmong(await storedFor([write], storage), write)
      if (first.length === 0) return
      const issues = first.map((found) => ({
        loc: pathIn(write, found),
        msg: issueText(found),
        type: 'policy_violation',
      }))
      throw invalidInput(write.kind, issues)
    },

    /**
     * Findings for each document, one for each violation that it is part of. None without the option `evaluateWrites`.
     * Reads what is stored once.
     */
    async findings(writes: readonly EvaluatedWrite[]): Promise<Finding[][]> {
      if (evaluateWrites === 'off') return writes.map(() => [])
      const stored = await storedFor(writes, storage)
      const told: Finding[][] = []
      for (const write of writes) told.push(findingsAbout(write, await violationsAmong(stored, write)))
      return told
    },
  }
}

function findingsAbout(write: EvaluatedWrite, { first, count }: FoundViolations): Finding[] {
  const finding = (loc: Finding['loc'], message: string): Finding => ({
    type: 'policy_violation',
    severity: 'warning',
    loc,
    message,
  })
  const told = first.map((found) => finding(placeIn(write, found), found.violation.detail))
  if (count === first.length) return told
  const key = write.document.service_key
  const more = `There are ${count - first.length} more violations of policies that ${write.kind} '${key}' is part of: evaluate the policies.`
  return [...told, finding([key], more)]
}

/** What documents are evaluated with. */
interface StoredDocuments {
  readonly storage: Storage
  readonly policies: readonly Policy[]
  readonly systems: readonly System[]
  readonly systemsByDataset: ReadonlyMap<string, readonly System[]>
  readonly links: TaxonomyLinks
}

/** Reads no more than these writes need. */
async function storedFor(writes: readonly EvaluatedWrite[], storage: Storage): Promise<StoredDocuments> {
  const [policyRows, systemRows, { links }] = await Promise.all([
    writes.some(({ kind }) => kind !== 'policy') ? storage.table('policy').find() : [],
    writes.some(({ kind }) => kind !== 'system') ? storage.table('system').find() : [],
    readTaxonomy(storage),
  ])
  const policies = policyRows.map(({ document }) => document).filter(prohibits)
  const systems = systemRows.map(({ document }) => document)
  const systemsByDataset = new Map<string, System[]>()
  for (const system of systems) {
    const keys = system.privacy_declarations.flatMap((each) => each.dataset_references)
    for (const key of new Set(keys)) appendTo(systemsByDataset, key, system)
  }
  return { storage, policies, systems, systemsByDataset, links }
}

function prohibits(policy: Policy): boolean {
  return prohibitionsOf(policy).length > 0
}

async function violationsAmong(stored: StoredDocuments, write: EvaluatedWrite): Promise<FoundViolations> {
  const policies = write.kind === 'policy' ? [write.document].filter(prohibits) : stored.policies
  if (policies.length === 0) return noViolations
  const breathe = breather()
  const systems = systemsWith(stored, write)
  const evaluation = systemEvaluation({ policies, systems, links: stored.links, most: mostTold, breathe })
  if (write.kind === 'dataset') {
    await evaluation.addDataset(write.document)
    return evaluation.found()
  }
  await evaluation.addDeclarations()
  for await (const { document } of storedDatasets(stored.storage, evaluation.datasetKeys)) {
    await evaluation.addDataset(document)
    await breathe()
  }
  return evaluation.found()
}

function systemsWith({ systems, systemsByDataset }: StoredDocuments, write: EvaluatedWrite): readonly System[] {
  if (write.kind === 'system') return [write.document]
  return write.kind === 'policy' ? systems : (systemsByDataset.get(write.document.service_key) ?? [])
}

/** The place of a violation in the document that is written. */
function pathIn({ kind }: EvaluatedWrite, { use, place }: PlacedViolation): readonly (string | number)[] {
  if (kind === 'policy') return ['rules', use.index]
  if (kind === 'system') return ['privacy_declarations', use.declaration.index]
  return place?.path ?? []
}

/** The place of a finding about it. */
function placeIn(write: EvaluatedWrite, found: PlacedViolation): Finding['loc'] {
  const key = write.document.service_key
  if (write.kind !== 'dataset') return [key, ...pathIn(write, found)]
  const { collection, field } = found.violation
  return [key, collection, field].filter((part) => part !== undefined)
}

/** After the place, which begins the message. */
function issueText({ violation: { detail } }: PlacedViolation): string {
  return `is part of a violation: ${detail}`
}
