import { breather } from '../../async/breather.js'
import type { PrivacyError } from '../../errors.js'
import type { Dataset } from '../../model/dataset.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Policy } from '../../model/policy.js'
import type { System } from '../../model/system.js'
import type { Storage } from '../../ports/storage.js'
import type { Finding } from '../../rules/findings/finding.js'
import { prohibitionsOf } from '../../rules/policy/prohibitions.js'
import type { TaxonomyLinks } from '../../rules/policy/targets.js'
import { asksForSeveral } from '../../rules/policy/violation-finder.js'
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
      const refusal = refusalOf(write, await violationsAmong(await storedWith([write], storage), write))
      if (refusal) throw refusal
    },

    /**
     * The same for documents that are stored together: each is evaluated with all of them, as far as they are not refused
     * themselves. Of the documents of a violation the one that is written last is refused.
     */
    async refusals(writes: readonly EvaluatedWrite[]): Promise<ReadonlyMap<EvaluatedWrite, PrivacyError>> {
      const refused = new Map<EvaluatedWrite, PrivacyError>()
      if (evaluateWrites !== 'strict') return refused
      for (;;) {
        const kept = writes.filter((write) => !refused.has(write))
        const found = await refusalsAmong(kept, storage)
        if (found.length === 0) return refused
        for (const [write, refusal] of found) refused.set(write, refusal)
      }
    },

    /**
     * Findings for each document, one for each violation that it is part of. None without the option `evaluateWrites`.
     * Reads what is stored once.
     */
    async findings(writes: readonly EvaluatedWrite[]): Promise<Finding[][]> {
      if (evaluateWrites === 'off') return writes.map(() => [])
      const stored = await storedWith(writes, storage)
      const told: Finding[][] = []
      for (const write of writes) told.push(findingsAbout(write, await violationsAmong(stored, write)))
      return told
    },
  }
}

/** The kinds of documents, the last written first. */
const lastFirst: readonly EvaluatedWrite['kind'][] = ['policy', 'dataset', 'system']

/** Refusals of one kind. What is stored without these documents has to be evaluated anew. */
async function refusalsAmong(writes: readonly EvaluatedWrite[], storage: Storage) {
  const stored = await storedWith(writes, storage)
  const found: (readonly [EvaluatedWrite, PrivacyError])[] = []
  for (const kind of lastFirst) {
    for (const write of writes.filter((each) => each.kind === kind)) {
      const refusal = refusalOf(write, await violationsAmong(stored, write))
      if (refusal) found.push([write, refusal])
    }
    if (found.length > 0) break
  }
  return found
}

function refusalOf(write: EvaluatedWrite, { first }: FoundViolations): PrivacyError | undefined {
  if (first.length === 0) return undefined
  const issues = first.map((found) => ({
    loc: pathIn(write, found),
    msg: issueText(found),
    type: 'policy_violation',
  }))
  return invalidInput(write.kind, issues)
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
  /** Those that are written, by key. */
  readonly datasets: ReadonlyMap<string, Dataset>
  readonly links: TaxonomyLinks
}

/** What is stored once these documents are. Reads no more than they need. */
async function storedWith(writes: readonly EvaluatedWrite[], storage: Storage): Promise<StoredDocuments> {
  const [policyRows, systemRows, { links }] = await Promise.all([
    writes.some(({ kind }) => kind !== 'policy') ? storage.table('policy').find() : [],
    writes.some(({ kind }) => kind !== 'system') ? storage.table('system').find() : [],
    readTaxonomy(storage),
  ])
  const written = { policy: new Map<string, Policy>(), system: new Map<string, System>(), dataset: new Map() }
  for (const { kind, document } of writes) written[kind].set(document.service_key, document as never)
  const policies = [...merged(policyRows, written.policy)].filter(prohibits)
  const systems = merged(systemRows, written.system)
  const systemsByDataset = new Map<string, System[]>()
  for (const system of systems) {
    const keys = system.privacy_declarations.flatMap((each) => each.dataset_references)
    for (const key of new Set(keys)) appendTo(systemsByDataset, key, system)
  }
  return { storage, policies, systems, systemsByDataset, datasets: written.dataset, links }
}

/** The stored documents, with those that are written in their place. */
function merged<Document extends { readonly service_key: string }>(
  rows: readonly { readonly document: Document }[],
  written: ReadonlyMap<string, Document>,
): Document[] {
  const stored = rows.map(({ document }): [string, Document] => [document.service_key, document])
  return [...new Map([...stored, ...written]).values()]
}

async function* datasetsAmong({ storage, datasets }: StoredDocuments, keys: readonly string[]): AsyncIterable<Dataset> {
  const others = keys.filter((key) => !datasets.has(key))
  for await (const { document } of storedDatasets(storage, others)) yield document
  for (const key of keys) {
    const written = datasets.get(key)
    if (written) yield written
  }
}

function prohibits(policy: Policy): boolean {
  return prohibitionsOf(policy).length > 0
}

async function violationsAmong(stored: StoredDocuments, write: EvaluatedWrite): Promise<FoundViolations> {
  const policies = write.kind === 'policy' ? [write.document].filter(prohibits) : stored.policies
  if (policies.length === 0) return noViolations
  const breathe = breather()
  const systems = systemsWith(stored, write)
  const about = write.kind === 'dataset' ? write.document.service_key : undefined
  const evaluation = systemEvaluation({ policies, systems, links: stored.links, most: mostTold, about, breathe })
  if (write.kind === 'dataset' && !policies.some(asksForSeveral)) {
    await evaluation.addDataset(write.document)
    return evaluation.found()
  }
  await evaluation.addDeclarations()
  for await (const dataset of datasetsAmong(stored, evaluation.datasetKeys)) {
    await evaluation.addDataset(dataset)
    await breathe()
  }
  evaluation.addTogether()
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
  return `is part of a violation: ${detail.replace(/\.$/, '')}`
}
