import type { System } from '../../model/system.js'
import { sorted } from './dataset-facts.js'
import { contactText, countriesOf, type MapColumn, measuresOf, recipientsOf, retentionsOf } from './map-columns.js'
import type { MapEntry } from './map-entry.js'

/** In a record, a list is one text: `none` where it says that there are none, null where nobody has said anything. */
const texts = (list: readonly string[]) => (list.length > 0 ? list : null)

const organizationOf = ({ system }: MapEntry) => `of the organization '${system.organization_service_key}'`

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

/** Transfers and security, which both records tell of: article 30(1)(e) and (g), 30(2)(c) and (d). */
const transfersAndSecurity: readonly MapColumn[] = [
  {
    key: 'third_countries',
    heading: 'Transfers to third countries',
    of: (entry) => texts(countriesOf(entry)) ?? 'none',
  },
  {
    key: 'safeguards',
    heading: 'Safeguards of transfers',
    of: (entry) => (countriesOf(entry).length === 0 ? 'none needed' : (entry.system.third_country_safeguards ?? null)),
    missing: () => '`third_country_safeguards` of the system',
  },
  {
    key: 'security_measures',
    heading: 'Technical and organisational measures',
    of: measuresOf,
    missing: (entry) => `\`security_measures\` of the system, or \`security_policy\` ${organizationOf(entry)}`,
  },
]

const systemColumn: MapColumn = { key: 'system', heading: 'System', of: ({ system }) => system.name }
const purposeOf = ({ declaration, use }: MapEntry) => use?.name ?? declaration?.data_use ?? null

/** Article 30(1): the record of a controller. */
export const controllerColumns: readonly MapColumn[] = [
  {
    key: 'controller',
    heading: 'Controller',
    of: ({ organization }) => contactText(organization?.controller),
    missing: (entry) => `\`controller\` ${organizationOf(entry)}`,
  },
  { key: 'joint_controller', heading: 'Joint controller', of: ({ system }) => contactText(system.joint_controller) },
  ...officers,
  systemColumn,
  { key: 'activity', heading: 'Processing activity', of: ({ declaration }) => declaration?.name ?? null },
  { key: 'department', heading: 'Department', of: ({ system }) => system.administrating_department ?? null },
  { key: 'purposes', heading: 'Purposes', of: purposeOf, missing: () => '`data_use` of the declaration' },
  {
    key: 'data_subjects',
    heading: 'Categories of data subjects',
    of: ({ declaration, subjects }) => {
      const known = new Map(subjects.map((subject) => [subject.service_key, subject.name]))
      return texts(sorted((declaration?.data_subjects ?? []).map((key) => known.get(key) ?? key)))
    },
    missing: () => '`data_subjects` of the declaration',
  },
  {
    key: 'data_categories',
    heading: 'Categories of personal data',
    of: ({ declaration, datasets }) =>
      texts(sorted([...(declaration?.data_categories ?? []), ...datasets.flatMap(({ categories }) => categories)])),
    missing: () => '`data_categories` of the declaration, or `dataset_references` to datasets that have some',
  },
  {
    key: 'recipients',
    heading: 'Categories of recipients',
    of: (entry) => texts(sorted([...recipientsOf(entry), ...entry.egress])),
    missing: () => '`recipients` of the declaration or of its data use, such as "none"',
  },
  ...transfersAndSecurity.slice(0, 2),
  {
    key: 'retention',
    heading: 'Time limits for erasure',
    of: (entry) => texts(retentionsOf(entry)),
    missing: () => '`retention_period` of the declaration, or `retention` in its datasets',
  },
  ...transfersAndSecurity.slice(2),
]

/** Article 30(2): the record of a processor. */
export const processorColumns: readonly MapColumn[] = [
  {
    key: 'processor',
    heading: 'Processor',
    of: ({ organization }) => contactText(organization?.controller),
    missing: (entry) => `\`controller\` ${organizationOf(entry)}, who is the processor here`,
  },
  {
    key: 'controllers',
    heading: 'Controllers',
    of: ({ system }) => texts(sorted(system.controllers.flatMap((contact) => contactText(contact) ?? []))),
    missing: () => '`controllers` of the system',
  },
  ...officers,
  systemColumn,
  { key: 'activity', heading: 'Processing activity', of: ({ declaration }) => declaration?.name ?? null },
  {
    key: 'processing',
    heading: 'Categories of processing',
    of: purposeOf,
    missing: () => '`data_use` of the declaration',
  },
  ...transfersAndSecurity,
]

/** Whether the record of a controller, or that of a processor, tells of the system. */
export function isIn(view: 'controller' | 'processor', { data_responsibility_title: title }: System): boolean {
  return (title === 'Controller') === (view === 'controller')
}
