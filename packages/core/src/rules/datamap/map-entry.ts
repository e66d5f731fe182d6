import type { Organization } from '../../model/organization.js'
import type { PrivacyDeclaration, System } from '../../model/system.js'
import type { DataSubject, DataUse } from '../../model/taxonomy.js'
import type { DatasetFacts } from './dataset-facts.js'
import { statedTexts } from './stated.js'

/** What rows are made of, by key. */
export interface MappedDocuments {
  readonly organizations: ReadonlyMap<string, Organization>
  readonly systems: readonly System[]
  /** The names of all systems, also of those that have no row. */
  readonly names: ReadonlyMap<string, string>
  /** The keys of systems that say they receive data from a system, by its key. */
  readonly receivers: ReadonlyMap<string, readonly string[]>
  readonly datasets: ReadonlyMap<string, DatasetFacts>
  readonly uses: ReadonlyMap<string, DataUse>
  readonly subjects: ReadonlyMap<string, DataSubject>
}

/** What one row tells of. A system without declarations has one row as well. */
export interface MapEntry {
  readonly organization: Organization | undefined
  readonly system: System
  readonly declaration: PrivacyDeclaration | undefined
  /** Position of the declaration in its system. */
  readonly position: number
  readonly use: DataUse | undefined
  readonly subjects: readonly DataSubject[]
  readonly datasets: readonly DatasetFacts[]
  /** The names of systems that its data goes to, and comes from. */
  readonly egress: readonly string[]
  readonly ingress: readonly string[]
  /** The names of systems that say themselves that they receive its data. */
  readonly receivers: readonly string[]
}

/** An entry for each declaration of each system, systems by key. */
export function declarationEntries(documents: MappedDocuments): MapEntry[] {
  const nameOf = (key: string) => documents.names.get(key) ?? key
  return [...documents.systems]
    .sort((one, other) => (one.service_key < other.service_key ? -1 : 1))
    .flatMap((system) =>
      (system.privacy_declarations.length > 0 ? system.privacy_declarations : [undefined]).map(
        (declaration, position) => {
          const flows = (side: 'egress' | 'ingress') => [
            ...(declaration?.[side] ?? []).map(nameOf),
            ...system[side].map(({ service_key: key }) => nameOf(key)),
          ]
          return {
            organization: documents.organizations.get(system.organization_service_key),
            system,
            declaration,
            position,
            use: declaration?.data_use === undefined ? undefined : documents.uses.get(declaration.data_use),
            subjects: (declaration?.data_subjects ?? []).flatMap((key) => documents.subjects.get(key) ?? []),
            datasets: [...new Set(declaration?.dataset_references)].map(
              (key) => documents.datasets.get(key) ?? unknownDataset(key),
            ),
            egress: statedTexts(flows('egress')),
            ingress: statedTexts(flows('ingress')),
            receivers: statedTexts((documents.receivers.get(system.service_key) ?? []).map(nameOf)),
          }
        },
      ),
    )
}

/** A dataset that a declaration names and that is not there. */
const unknownDataset = (key: string): DatasetFacts => ({
  key,
  name: key,
  categories: [],
  countries: [],
  retentions: [],
  limits: { held: new Map(), open: [] },
  jointController: undefined,
})

/** An entry for each dataset as well. */
export function datasetEntries(documents: MappedDocuments): MapEntry[] {
  return declarationEntries(documents).flatMap((entry) =>
    entry.datasets.length < 2 ? entry : entry.datasets.map((dataset) => ({ ...entry, datasets: [dataset] })),
  )
}
