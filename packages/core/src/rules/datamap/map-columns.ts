import type { MapCell } from '../../model/data-map.js'
import { noTransfers, type System } from '../../model/system.js'
import { type DataSubject, rightSchema } from '../../model/taxonomy.js'
import type { MapEntry } from './map-entry.js'
import { stated, statedCell, statedTexts } from './stated.js'
import { limitTexts } from './time-limits.js'

/** A column of a table, and what a row says there: null where nobody has declared it. */
export interface MapColumn {
  readonly key: string
  readonly heading: string
  of(entry: MapEntry): MapCell
  /** A record has to say it: which member to set where nobody has. */
  missing?(entry: MapEntry): string
  /** Of what nobody has declared it, where the cell says it of something. */
  missingOf?(entry: MapEntry): string
  /** Whether the cell says all that a record has to say there. Default: where it is not null. */
  isWhole?(entry: MapEntry): boolean
}

type Contact = NonNullable<System['joint_controller']>

const textsOf = (contact: Contact | undefined): string[] =>
  [contact?.name, contact?.address, contact?.email, contact?.phone].flatMap((text) => stated(text) ?? [])

export const contactText = (contact: Contact | undefined): string | null => textsOf(contact).join(', ') || null

/** Whether it says who somebody is and how to reach them. */
export const isWholeContact = (contact: Contact | undefined): boolean =>
  stated(contact?.name) !== null && textsOf(contact).length > 1

/** The countries to which the system or its datasets transfer data, or `none` where the system says so. Empty: not declared. */
export const transfersOf = ({ system, datasets }: MapEntry): string[] => {
  return someOrNone([...system.third_country_transfers, ...datasets.flatMap(({ countries }) => countries)])
}

/** Each text once. `none`, which one place says of itself, gives way to what another place names. */
export function someOrNone(texts: readonly string[]): string[] {
  const declared = statedTexts(texts)
  const some = declared.filter((each) => each !== noTransfers)
  return some.length > 0 ? some : declared
}

export const recipientsOf = ({ declaration, use }: MapEntry): string[] =>
  someOrNone([...(declaration?.recipients ?? []), ...(use?.recipients ?? [])])

/** The limit of the declaration, else those of its datasets. One that does not hold for all says what it holds for. */
export const retentionsOf = ({ declaration, datasets }: MapEntry): string[] => {
  const period = stated(declaration?.retention_period)
  if (period !== null) return [period]
  const limits = datasets.map((dataset) => dataset.limits)
  const isWhole = limits.every(({ open }) => open.length === 0)
  return isWhole ? statedTexts(datasets.flatMap(({ retentions }) => retentions)) : limitTexts(limits)
}

/** The controllers with whom the system, and then its datasets, are shared. One text, as there is mostly one. */
export const jointControllerOf = ({ system, datasets }: MapEntry): string | null => {
  const ofDatasets = statedTexts(datasets.map((each) => contactText(each.jointController) ?? undefined))
  return [...new Set([contactText(system.joint_controller) ?? [], ofDatasets].flat())].join('; ') || null
}

export const safeguardsOf = ({ system }: MapEntry): string | null => stated(system.third_country_safeguards)

export const measuresOf = ({ system, organization }: MapEntry): string | null =>
  stated(system.security_measures) ?? stated(organization?.security_policy)

export const controllersOf = ({ system }: MapEntry): string[] | null =>
  statedCell(system.controllers.flatMap((contact) => contactText(contact) ?? []))

export const activityOf = ({ declaration }: MapEntry): string | null => stated(declaration?.name)

export const departmentColumn: MapColumn = {
  key: 'department',
  heading: 'Department',
  of: ({ system }) => stated(system.administrating_department),
}

/** The rights of all its subjects. */
function rightsOf(subjects: readonly DataSubject[]): string[] {
  return statedTexts(
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
  { key: 'description', heading: 'Description', of: ({ system }) => stated(system.description) },
  { key: 'system_type', heading: 'Type', of: ({ system }) => stated(system.system_type) },
  departmentColumn,
  { key: 'responsibility', heading: 'Responsibility', of: ({ system }) => system.data_responsibility_title },
  { key: 'declaration', heading: 'Declaration', of: activityOf },
  { key: 'data_use', heading: 'Data use', of: ({ declaration }) => stated(declaration?.data_use) },
  { key: 'legal_basis', heading: 'Legal basis', of: ({ use }) => use?.legal_basis ?? null },
  { key: 'special_category', heading: 'Basis for special categories', of: ({ use }) => use?.special_category ?? null },
  { key: 'legitimate_interest', heading: 'Legitimate interest', of: ({ use }) => use?.legitimate_interest ?? null },
  {
    key: 'legitimate_interest_assessment',
    heading: 'Assessment of the interest',
    of: ({ use }) => use?.legitimate_interest_impact_assessment ?? null,
  },
  {
    key: 'data_subjects',
    heading: 'Data subjects',
    of: ({ declaration }) => statedCell(declaration?.data_subjects ?? []),
  },
  { key: 'rights', heading: 'Rights', of: ({ subjects }) => statedCell(rightsOf(subjects)) },
  {
    key: 'automated_decisions',
    heading: 'Automated decisions or profiling',
    of: ({ subjects }) => flag(subjects.map((subject) => subject.automated_decisions_or_profiling)),
  },
  {
    key: 'data_categories',
    heading: 'Data categories',
    of: ({ declaration }) => statedCell(declaration?.data_categories ?? []),
  },
  { key: 'data_qualifier', heading: 'Data qualifier', of: ({ declaration }) => stated(declaration?.data_qualifier) },
  { key: 'dataset', heading: 'Dataset', of: ({ datasets }) => datasets[0]?.key ?? null },
  {
    key: 'dataset_categories',
    heading: 'Data categories of the dataset',
    of: ({ datasets }) => statedCell(datasets[0]?.categories ?? []),
  },
  { key: 'recipients', heading: 'Recipients', of: (entry) => statedCell(recipientsOf(entry)) },
  { key: 'egress', heading: 'Sends data to', of: ({ egress }) => statedCell(egress) },
  { key: 'ingress', heading: 'Receives data from', of: ({ ingress }) => statedCell(ingress) },
  { key: 'third_countries', heading: 'Third countries', of: (entry) => statedCell(transfersOf(entry)) },
  { key: 'safeguards', heading: 'Safeguards of transfers', of: safeguardsOf },
  { key: 'retention', heading: 'Retention', of: (entry) => statedCell(retentionsOf(entry)) },
  { key: 'joint_controller', heading: 'Joint controller', of: jointControllerOf },
  { key: 'controllers', heading: 'Processes for', of: controllersOf },
  {
    key: 'dpia_required',
    heading: 'Impact assessment required',
    of: ({ system }) => system.data_protection_impact_assessment?.is_required ?? null,
  },
  {
    key: 'dpia_progress',
    heading: 'Impact assessment',
    of: ({ system }) => stated(system.data_protection_impact_assessment?.progress),
  },
  {
    key: 'dpia_link',
    heading: 'Link to the assessment',
    of: ({ system }) => system.data_protection_impact_assessment?.link ?? null,
  },
  { key: 'security_measures', heading: 'Security measures', of: measuresOf },
]
