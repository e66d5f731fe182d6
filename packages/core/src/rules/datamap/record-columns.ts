import { noTransfers, type System } from '../../model/system.js'
import {
  activityOf,
  contactText,
  controllersOf,
  departmentColumn,
  isWholeContact,
  jointControllerOf,
  type MapColumn,
  measuresOf,
  recipientsOf,
  retentionsOf,
  safeguardsOf,
  someOrNone,
  transfersOf,
} from './map-columns.js'
import type { MapEntry } from './map-entry.js'
import { stated, statedCell } from './stated.js'
import { type OpenPlace, openText } from './time-limits.js'

const organizationOf = ({ system }: MapEntry) => `of the organization '${system.organization_service_key}'`

/** What the law calls the name and contact details. */
const nameAndDetails = 'a name and an address, email or phone'

/** Who answers for the processing: article 30(1)(a) and 30(2)(a). */
const officers: readonly MapColumn[] = [
  {
    key: 'representative',
    heading: 'Representative',
    of: ({ organization }) => contactText(organization?.representative),
  },
  {
    key: 'data_protection_officer',
    heading: 'Data protection officer',
    of: ({ organization }) => contactText(organization?.data_protection_officer),
  },
]

/** Transfers, which both records tell of: article 30(1)(e) and 30(2)(c). */
const transferColumns: readonly MapColumn[] = [
  {
    key: 'third_countries',
    heading: 'Transfers to third countries',
    of: (entry) => statedCell(transfersOf(entry)),
    missing: () => '`third_country_transfers` of the system, such as ["none"]',
  },
  {
    key: 'safeguards',
    heading: 'Safeguards of transfers',
    of: (entry) => (transfersOf(entry).includes(noTransfers) ? 'none needed' : safeguardsOf(entry)),
    missing: () => '`third_country_safeguards` of the system',
    // where nobody has declared the transfers, these come first
    isWhole: (entry) => transfersOf(entry).every((each) => each === noTransfers) || safeguardsOf(entry) !== null,
  },
]

/** Article 30(1)(g) and 30(2)(d). */
const securityColumn: MapColumn = {
  key: 'security_measures',
  heading: 'Technical and organisational measures',
  of: measuresOf,
  missing: (entry) => `\`security_measures\` of the system, or \`security_policy\` ${organizationOf(entry)}`,
}

const systemColumn: MapColumn = { key: 'system', heading: 'System', of: ({ system }) => system.name }
const purposeOf = ({ declaration, use }: MapEntry) => use?.name ?? stated(declaration?.data_use)

/** What has no limit, where the declaration leaves it to its datasets. */
const openOf = ({ declaration, datasets }: MapEntry): readonly OpenPlace[] =>
  stated(declaration?.retention_period) === null ? datasets.flatMap(({ limits }) => limits.open) : []

/** Article 30(1): the record of a controller. */
export const controllerColumns: readonly MapColumn[] = [
  {
    key: 'controller',
    heading: 'Controller',
    of: ({ organization }) => contactText(organization?.controller),
    missing: (entry) => `\`controller\` ${organizationOf(entry)}, with ${nameAndDetails}`,
    isWhole: ({ organization }) => isWholeContact(organization?.controller),
  },
  { key: 'joint_controller', heading: 'Joint controller', of: jointControllerOf },
  ...officers,
  systemColumn,
  { key: 'activity', heading: 'Processing activity', of: activityOf },
  departmentColumn,
  { key: 'purposes', heading: 'Purposes', of: purposeOf, missing: () => '`data_use` of the declaration' },
  {
    key: 'data_subjects',
    heading: 'Categories of data subjects',
    of: ({ declaration, subjects }) => {
      const known = new Map(subjects.map((subject) => [subject.service_key, subject.name]))
      return statedCell((declaration?.data_subjects ?? []).map((key) => known.get(key) ?? key))
    },
    missing: () => '`data_subjects` of the declaration',
  },
  {
    key: 'data_categories',
    heading: 'Categories of personal data',
    of: ({ declaration, datasets }) =>
      statedCell([...(declaration?.data_categories ?? []), ...datasets.flatMap(({ categories }) => categories)]),
    missing: () => '`data_categories` of the declaration, or `dataset_references` to datasets that have some',
  },
  {
    key: 'recipients',
    heading: 'Categories of recipients',
    of: (entry) => statedCell(someOrNone([...recipientsOf(entry), ...entry.egress, ...entry.receivers])),
    missing: () => '`recipients` of the declaration or of its data use, such as "none"',
  },
  ...transferColumns,
  {
    key: 'retention',
    heading: 'Time limits for erasure',
    of: (entry) => statedCell(retentionsOf(entry)),
    missing: () => '`retention_period` of the declaration, or `retention` in its datasets',
    missingOf: (entry) => openText(openOf(entry)),
    isWhole: (entry) => retentionsOf(entry).length > 0 && openOf(entry).length === 0,
  },
  securityColumn,
]

/** Article 30(2): the record of a processor. */
export const processorColumns: readonly MapColumn[] = [
  {
    key: 'processor',
    heading: 'Processor',
    of: ({ organization }) => contactText(organization?.controller),
    missing: (entry) => `\`controller\` ${organizationOf(entry)}, who is the processor here, with ${nameAndDetails}`,
    isWhole: ({ organization }) => isWholeContact(organization?.controller),
  },
  {
    key: 'controllers',
    heading: 'Controllers',
    of: controllersOf,
    missing: () => `\`controllers\` of the system, each with ${nameAndDetails}`,
    isWhole: ({ system: { controllers } }) => controllers.length > 0 && controllers.every(isWholeContact),
  },
  ...officers,
  systemColumn,
  { key: 'activity', heading: 'Processing activity', of: activityOf },
  {
    key: 'processing',
    heading: 'Categories of processing',
    of: purposeOf,
    missing: () => '`data_use` of the declaration',
  },
  ...transferColumns,
  securityColumn,
]

/** Whether the record of a controller, or that of a processor, tells of the system. */
export function isIn(view: 'controller' | 'processor', { data_responsibility_title: title }: System): boolean {
  return (title === 'Controller') === (view === 'controller')
}
