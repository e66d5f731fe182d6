import type { MapCell } from '../../model/data-map.js'
import type { System } from '../../model/system.js'
import { type DataSubject, rightSchema } from '../../model/taxonomy.js'
import { sorted } from './dataset-facts.js'
import type { MapEntry } from './map-entry.js'

/** A column of a table, and what a row says there: null where nobody has declared it. */
export interface MapColumn {
  readonly key: string
  readonly heading: string
  of(entry: MapEntry): MapCell
  /** A record has to say it: which member to set where nobody has. Undefined where this entry need not. */
  missing?(entry: MapEntry): string | undefined
}

type Contact = NonNullable<System['joint_controller']>

const listOf = (texts: Iterable<string>): MapCell => {
  const list = sorted(texts)
  return list.length > 0 ? list : null
}

export const contactText = (contact: Contact | undefined): string | null =>
  [contact?.name, contact?.address, contact?.email, contact?.phone].filter(Boolean).join(', ') || null

/** The countries to which the system or its datasets transfer data. */
export const countriesOf = ({ system, datasets }: MapEntry): string[] =>
  sorted([...system.third_country_transfers, ...datasets.flatMap(({ countries }) => countries)])

export const recipientsOf = ({ declaration, use }: MapEntry): string[] =>
  sorted([...(declaration?.recipients ?? []), ...(use?.recipients ?? [])])

export const retentionsOf = ({ declaration, datasets }: MapEntry): string[] =>
  declaration?.retention_period !== undefined
    ? [declaration.retention_period]
    : sorted(datasets.flatMap(({ retentions }) => retentions))

export const measuresOf = ({ system, organization }: MapEntry): string | null =>
  system.security_measures ?? organization?.security_policy ?? null

/** The rights of all its subjects. */
function rightsOf(subjects: readonly DataSubject[]): string[] {
  return sorted(
    subjects.flatMap(({ rights }) => {
      if (!rights || rights.strategy === 'NONE') return []
      if (rights.strategy === 'INCLUDE') return rights.values
      return rights.strategy === 'ALL'
        ? rightSchema.options
        : rightSchema.options.filter((right) => !rights.values.includes(right))
    }),
  )
}

const flag = (values: readonly (boolean | undefined)[]): MapCell =>
  values.some((value) => value === true) ? true : values.some((value) => value === false) ? false : null

/** The data map: everything that is declared, in the words of the documents. */
export const mapColumns: readonly MapColumn[] = [
  { key: 'organization', heading: 'Organization', of: ({ system }) => system.organization_service_key },
  { key: 'registry', heading: 'Registry', of: ({ system }) => system.registry_service_key ?? null },
  { key: 'system_key', heading: 'Key of the system', of: ({ system }) => system.service_key },
  { key: 'system', heading: 'System', of: ({ system }) => system.name },
  { key: 'description', heading: 'Description', of: ({ system }) => system.description ?? null },
  { key: 'system_type', heading: 'Type', of: ({ system }) => system.system_type },
  { key: 'department', heading: 'Department', of: ({ system }) => system.administrating_department ?? null },
  { key: 'responsibility', heading: 'Responsibility', of: ({ system }) => system.data_responsibility_title },
  { key: 'declaration', heading: 'Declaration', of: ({ declaration }) => declaration?.name ?? null },
  { key: 'data_use', heading: 'Data use', of: ({ declaration }) => declaration?.data_use ?? null },
  { key: 'legal_basis', heading: 'Legal basis', of: ({ use }) => use?.legal_basis ?? null },
  { key: 'special_category', heading: 'Basis for special categories', of: ({ use }) => use?.special_category ?? null },
  { key: 'legitimate_interest', heading: 'Legitimate interest', of: ({ use }) => use?.legitimate_interest ?? null },
  {
    key: 'legitimate_interest_assessment',
    heading: 'Assessment of the interest',
    of: ({ use }) => use?.legitimate_interest_impact_assessment ?? null,
  },
  { key: 'data_subjects', heading: 'Data subjects', of: ({ declaration }) => listOf(declaration?.data_subjects ?? []) },
  { key: 'rights', heading: 'Rights', of: ({ subjects }) => listOf(rightsOf(subjects)) },
  {
    key: 'automated_decisions',
    heading: 'Automated decisions or profiling',
    of: ({ subjects }) => flag(subjects.map((subject) => subject.automated_decisions_or_profiling)),
  },
  {
    key: 'data_categories',
    heading: 'Data categories',
    of: ({ declaration }) => listOf(declaration?.data_categories ?? []),
  },
  { key: 'data_qualifier', heading: 'Data qualifier', of: ({ declaration }) => declaration?.data_qualifier ?? null },
  { key: 'dataset', heading: 'Dataset', of: ({ datasets }) => datasets[0]?.key ?? null },
  {
    key: 'dataset_categories',
    heading: 'Data categories of the dataset',
    of: ({ datasets }) => listOf(datasets[0]?.categories ?? []),
  },
  { key: 'recipients', heading: 'Recipients', of: (entry) => listOf(recipientsOf(entry)) },
  { key: 'egress', heading: 'Sends data to', of: ({ egress }) => listOf(egress) },
  { key: 'ingress', heading: 'Receives data from', of: ({ ingress }) => listOf(ingress) },
  { key: 'third_countries', heading: 'Third countries', of: (entry) => listOf(countriesOf(entry)) },
  {
    key: 'safeguards',
    heading: 'Safeguards of transfers',
    of: ({ system }) => system.third_country_safeguards ?? null,
  },
  { key: 'retention', heading: 'Retention', of: (entry) => listOf(retentionsOf(entry)) },
  { key: 'joint_controller', heading: 'Joint controller', of: ({ system }) => contactText(system.joint_controller) },
  {
    key: 'controllers',
    heading: 'Processes for',
    of: ({ system }) => listOf(system.controllers.flatMap((each) => contactText(each) ?? [])),
  },
  {
    key: 'dpia_required',
    heading: 'Impact assessment required',
    of: ({ system }) => system.data_protection_impact_assessment?.is_required ?? null,
  },
  {
    key: 'dpia_progress',
    heading: 'Impact assessment',
    of: ({ system }) => system.data_protection_impact_assessment?.progress ?? null,
  },
  {
    key: 'dpia_link',
    heading: 'Link to the assessment',
    of: ({ system }) => system.data_protection_impact_assessment?.link ?? null,
  },
  { key: 'security_measures', heading: 'Security measures', of: measuresOf },
]
