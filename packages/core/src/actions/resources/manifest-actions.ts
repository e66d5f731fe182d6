import { type Issue, isPrivacyError } from '../../errors.js'
import type { Dataset } from '../../model/dataset.js'
import { type Manifest, type ManifestItem, type ManifestKind, readManifest } from '../../model/manifest.js'
import type { Organization } from '../../model/organization.js'
import { invalidInput } from '../../model/parse-input.js'
import type { Policy } from '../../model/policy.js'
import type { Registry } from '../../model/registry.js'
import type { System } from '../../model/system.js'
import type { DataCategory, DataQualifier, DataSubject, DataUse } from '../../model/taxonomy.js'
import type { DatasetNotices } from '../../rules/findings/dataset-notices.js'
import type { Finding } from '../../rules/findings/finding.js'
import { ownerLinks, systemLinks, type TaxonomyKind, taxonomyLinks } from '../../rules/findings/resource-links.js'
import type { ActionContext } from '../action-context.js'
import { evaluatedWrites } from '../evaluations/evaluated-writes.js'
import type { DatasetLink } from './dataset-actions.js'
import { linkFindings } from './known-keys.js'
import type { Notices, Written } from './resources.js'

interface ManifestDocuments {
  organization: Organization
  registry: Registry
  data_category: DataCategory
  data_use: DataUse
  data_subject: DataSubject
  data_qualifier: DataQualifier
  dataset: Dataset & DatasetLink
  system: System
  policy: Policy
}

/** An item that was not written, and the reason. */
export interface ManifestFailure {
  readonly message: string
  /** Every bad place, from the top of the manifest. */
  readonly errors?: readonly Issue[]
  /** The item's key where it has one; not the item, which may be large. */
  readonly data: { readonly service_key?: string }
}

/** The results of the items, kind by kind, for the kinds the manifest has. */
export type AppliedManifest = {
  readonly [Kind in ManifestKind]?: {
    readonly succeeded: readonly Written<ManifestDocuments[Kind]>[]
    readonly failed: readonly ManifestFailure[]
  }
}

interface Puts<Document, Noticed extends Notices = Notices> {
  put(input: unknown): Promise<Written<Document, Noticed>>
}

/** The actions that write the items. */
export interface ManifestResources {
  readonly organizations: Puts<Organization>
  readonly registries: Puts<Registry>
  readonly dataCategories: Puts<DataCategory>
  readonly dataUses: Puts<DataUse>
  readonly dataSubjects: Puts<DataSubject>
  readonly dataQualifiers: Puts<DataQualifier>
  readonly datasets: Puts<Dataset & DatasetLink, DatasetNotices> & {
    findings(key: string): Promise<readonly Finding[]>
  }
  readonly systems: Puts<System>
  readonly policies: Puts<Policy>
}

type AnyWritten = Written<{ service_key: string }>

interface Step {
  put(input: unknown): Promise<AnyWritten>
  /** The findings that remain once every item is stored: an item may refer to a later one. */
  findings(written: AnyWritten): Promise<readonly Finding[]>
}

/** Many resources in one text: each item goes through the `put` of its kind. */
export function manifestActions(context: ActionContext, resources: ManifestResources) {
  const readHere = new WeakSet<object>()
  const evaluated = evaluatedWrites(context)

  const step = <Document extends { service_key: string }, Noticed extends Notices>(
    { put }: Puts<Document, Noticed>,
    findings: (written: Written<Document, Noticed>) => Promise<readonly Finding[]> = async (written) =>
      written.findings,
  ): Step => ({ put, findings })
  const taxonomyFindings = (kind: TaxonomyKind, what: string) => (written: Written<DataCategory>) =>
    linkFindings(context, taxonomyLinks(kind, what, written))

  const steps: Record<ManifestKind, Step> = {
    organization: step(resources.organizations, (written) =>
      linkFindings(context, ownerLinks('organization', written)),
    ),
    registry: step(resources.registries),
    data_category: step(resources.dataCategories, taxonomyFindings('dataCategory', 'data category')),
    data_use: step(resources.dataUses, taxonomyFindings('dataUse', 'data use')),
    data_subject: step(resources.dataSubjects, taxonomyFindings('dataSubject', 'data subject')),
    data_qualifier: step(resources.dataQualifiers, taxonomyFindings('dataQualifier', 'data qualifier')),
    dataset: step(resources.datasets, async ({ service_key: key, findings, open }) => {
      const all = await resources.datasets.findings(key)
      const isTold = open.references.length > 0 && findings.every(({ type }) => type !== 'open_reference')
      return isTold ? all.filter(({ type }) => type !== 'open_reference') : all
    }),
    system: step(resources.systems, async (written) => [
      ...(await evaluated.findings({ kind: 'system', document: written })),
      ...(await linkFindings(context, systemLinks(written))),
    ]),
    policy: step(resources.policies),
  }

  function read(input: unknown): Manifest {
    if (typeof input === 'object' && input !== null && readHere.has(input)) return input as Manifest
    const manifest = readManifest(input)
    readHere.add(manifest)
    return manifest
  }

  return {
    read,
    async apply(input: unknown): Promise<AppliedManifest> {
      const { kinds, items } = read(input)
      const keys = new Set<string>()
      const outcomes = new Map<ManifestKind, { succeeded: AnyWritten[]; failed: ManifestFailure[] }>()
      for (const kind of kinds) outcomes.set(kind, { succeeded: [], failed: [] })
      for (const item of items) {
        const outcome = outcomes.get(item.kind)
        try {
          refuseRepeated(item, keys)
          outcome?.succeeded.push(await steps[item.kind].put(item.input))
        } catch (error) {
          outcome?.failed.push(failureOf(item, error))
        }
      }
      for (const [kind, { succeeded }] of outcomes) {
        for (const [index, written] of succeeded.entries()) {
          if (items.length === 1 || written.findings.length === 0) continue
          succeeded[index] = { ...written, findings: await steps[kind].findings(written) }
        }
      }
      return Object.fromEntries(outcomes) as AppliedManifest
    },
  }
}

/** Two items with one key are a mistake. The first one stays, because we cannot know which was meant. */
function refuseRepeated({ kind, key }: ManifestItem, keys: Set<string>): void {
  if (key === undefined) return
  const name = `${kind} ${key}`
  if (keys.has(name)) throw invalidInput(kind, [{ loc: ['service_key'], msg: 'is used twice', type: 'duplicate' }])
  keys.add(name)
}

function failureOf({ loc, key }: ManifestItem, error: unknown): ManifestFailure {
  const data = key === undefined ? {} : { service_key: key }
  if (isPrivacyError(error, 'conflict')) return { message: error.message, data }
  // Any other error is not the item's fault, and would meet the next one as well.
  if (!isPrivacyError(error, 'invalid_input')) throw error
  const errors = error.details.issues.map((issue) => ({ ...issue, loc: [...loc, ...issue.loc] }))
  return { message: invalidInput('manifest', errors).message, errors, data }
}
