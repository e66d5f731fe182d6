import { createPrivacyService, type DatasetInput, type PrivacyService, type SystemInput } from '@habeas/core'
import type { DataMapPageInput } from '../src/index.js'

const field = (name: string, ...categories: string[]) => ({ name, data_categories: categories })
const identity = (name: string, category: string) => ({
  ...field(name, category),
  service_meta: { identity: 'email' },
})
const reference = (name: string, target: string) => {
  const [dataset = '', at = ''] = target.split(':')
  return { name, service_meta: { references: [{ dataset, field: at, direction: 'from' as const }] } }
}

const datasets: readonly DatasetInput[] = [
  {
    service_key: 'shop',
    name: 'Shop database',
    description: 'Customers, their orders and what they paid.',
    retention: '10 years after the last order',
    collections: [
      {
        name: 'customer',
        description: 'One row for each account.',
        fields: [
          { name: 'id' },
          identity('email', 'user.contact.email'),
          field('name', 'user.name'),
          field('phone', 'user.contact.phone_number'),
          field('birthday', 'user.date_of_birth'),
        ],
      },
      {
        name: 'orders',
        fields: [
          { name: 'id' },
          reference('customer_id', 'shop:customer.id'),
          field('street', 'user.contact.address.street'),
          field('city', 'user.contact.address.city'),
        ],
      },
      { name: 'price', fields: [{ name: 'sku' }, { name: 'amount' }, { name: 'currency' }] },
    ],
  },
  {
    service_key: 'billing',
    name: 'Billing',
    retention: '10 years',
    collections: [
      {
        name: 'invoice',
        service_meta: { retain: { reason: 'tax law' } },
        fields: [{ name: 'number' }, reference('customer_id', 'shop:customer.id'), field('iban', 'user.financial')],
      },
      {
        name: 'payment',
        fields: [{ name: 'id' }, field('card', 'user.payment'), field('ip', 'user.device.ip_address')],
      },
    ],
  },
  {
    service_key: 'newsletter',
    name: 'Newsletter lists',
    collections: [
      { name: 'subscriber', fields: [identity('address', 'user.contact.email'), field('opened', 'user.profiling')] },
    ],
  },
  {
    service_key: 'helpdesk',
    name: 'Help desk',
    collections: [
      {
        name: 'ticket',
        fields: [{ name: 'id' }, identity('from', 'user.contact.email'), field('text', 'user.social')],
      },
      {
        name: 'attachment',
        fields: [{ name: 'id' }, reference('ticket_id', 'helpdesk:ticket.id'), field('file', 'user.social')],
      },
    ],
  },
  {
    service_key: 'analytics',
    name: 'Analytics',
    collections: [
      {
        name: 'visit',
        fields: [
          field('cookie', 'user.device.cookie_id'),
          field('page', 'user.browsing_history'),
          field('ip', 'user.device.ip_address'),
        ],
      },
    ],
  },
]

const systems: readonly SystemInput[] = [
  {
    service_key: 'web_shop',
    name: 'Web shop',
    description: 'Takes orders and ships them.',
    system_type: 'Service',
    administrating_department: 'Sales',
    security_measures: 'Encrypted disks, access by role, reviewed twice a year.',
    privacy_declarations: [
      {
        name: 'Fulfil orders',
        data_categories: ['user.contact', 'user.name'],
        data_use: 'provide.service',
        data_subjects: ['customer'],
        recipients: ['carriers'],
        dataset_references: ['shop'],
      },
      {
        name: 'Recommend products',
        data_categories: ['user.profiling'],
        data_use: 'advertising.first_party',
        data_subjects: ['customer', 'prospect'],
        retention_period: '2 years',
        dataset_references: ['shop', 'analytics'],
      },
    ],
    egress: [
      { service_key: 'parcel_service', type: 'system', data_categories: ['user.contact.address', 'user.name'] },
      { service_key: 'bookkeeping', type: 'system', data_categories: ['user.financial'] },
    ],
  },
  {
    service_key: 'bookkeeping',
    name: 'Bookkeeping',
    system_type: 'Application',
    administrating_department: 'Finance',
    privacy_declarations: [
      {
        name: 'Invoices and accounts',
        data_categories: ['user.financial', 'user.name'],
        data_use: 'provide.service',
        data_subjects: ['customer'],
        retention_period: '10 years',
        dataset_references: ['billing'],
      },
    ],
    egress: [{ service_key: 'tax_office', type: 'user', data_categories: ['user.financial'] }],
  },
  {
    service_key: 'mailing',
    name: 'Mailing',
    system_type: 'Third Party',
    administrating_department: 'Marketing',
    data_responsibility_title: 'Processor',
    third_country_transfers: ['USA'],
    third_country_safeguards: 'Standard contractual clauses',
    privacy_declarations: [
      {
        name: 'Newsletter',
        data_categories: ['user.contact.email', 'user.profiling'],
        data_use: 'advertising.first_party',
        data_subjects: ['customer', 'prospect'],
        dataset_references: ['newsletter'],
      },
    ],
    ingress: [{ service_key: 'web_shop', type: 'system', data_categories: ['user.contact.email'] }],
  },
  {
    service_key: 'support',
    name: 'Customer support',
    system_type: 'Application',
    administrating_department: 'Service',
    privacy_declarations: [
      {
        name: 'Answer questions',
        data_use: 'provide.service',
        data_subjects: ['customer', 'employee'],
        dataset_references: ['helpdesk', 'shop'],
      },
    ],
  },
  {
    service_key: 'statistics',
    name: 'Statistics',
    system_type: 'Service',
    administrating_department: 'Marketing',
    privacy_declarations: [
      {
        name: 'Measure reach',
        data_categories: ['user.browsing_history'],
        data_use: 'improve.system',
        data_subjects: ['visitor'],
        dataset_references: ['analytics'],
      },
    ],
  },
  {
    service_key: 'parcel_service',
    name: 'Parcel service',
    system_type: 'Third Party',
    egress: [{ service_key: 'customs', type: 'system' }],
  },
]

/** The documents of a shop, as a service answers them. */
export async function shopDocuments(): Promise<DataMapPageInput> {
  const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32, 1).toString('base64') })
  for (const dataset of datasets) await privacy.datasets.put(dataset)
  for (const system of systems) await privacy.systems.put(system)
  const documents = await documentsOf(privacy)
  await privacy.close()
  return documents
}

/** Everything that a map is drawn of. */
async function documentsOf(privacy: PrivacyService): Promise<DataMapPageInput> {
  const size = 100
  const [held, used, owners, categories, uses, subjects] = await Promise.all([
    privacy.datasets.list({ size }),
    privacy.systems.list({ size }),
    privacy.organizations.list({ size }),
    privacy.dataCategories.list({ size }),
    privacy.dataUses.list({ size }),
    privacy.dataSubjects.list({ size }),
  ])
  return {
    ...{ datasets: held.items, systems: used.items, organizations: owners.items },
    ...{ dataCategories: categories.items, dataUses: uses.items, dataSubjects: subjects.items },
  }
}
