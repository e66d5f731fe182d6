import type { Dataset, System } from '@habeas/core'
import { schemas } from '@habeas/core'
import type { DataMapPageInput } from '../src/index.js'

const departments = ['Finance', 'Human Resources', 'Legal', 'Logistics', 'Marketing', 'Product', 'Sales', 'Support']
const types = ['Application', 'Service', 'Third Party']
const uses = ['provide.service', 'analytics', 'advertising.first_party', 'improve.system']
const subjects = ['customer', 'employee', 'prospect', 'visitor']
const categories = [
  ...['user.name', 'user.contact.email', 'user.contact.phone_number', 'user.contact.address.street', 'user.financial'],
  ...['user.device.ip_address', 'user.device.cookie_id', 'user.behavior', 'user.content', 'user.date_of_birth'],
  ...['user.browsing_history', 'user.payment', 'user.location', 'user.job_title', 'user.health_and_medical'],
]
const words = [
  'Ledger',
  'Payroll',
  'Catalogue',
  'Ticket',
  'Campaign',
  'Warehouse',
  'Survey',
  'Contract',
  'Report',
  'Portal',
]
const pick = <Item>(items: readonly Item[], at: number) => items[at % items.length] as Item

/** As many systems as asked for, each with two datasets: one of its own and one that others use as well. */
export function manyDocuments(count: number): DataMapPageInput {
  const datasets = Array.from(
    { length: count * 2 },
    (_, at): Dataset =>
      schemas.dataset.parse({
        service_key: `data_${at}`,
        name: `${pick(words, at * 7)} store ${at}`,
        collections: Array.from({ length: 1 + (at % 4) }, (_, table) => ({
          name: `${pick(words, at + table).toLowerCase()}_${table}`,
          fields: Array.from({ length: 6 }, (_, field) => ({
            name: `column_${field}`,
            data_categories: field % 3 === 0 ? [pick(categories, at * 5 + table * 3 + field)] : [],
          })),
        })),
      }),
  )
  const systems = Array.from(
    { length: count },
    (_, at): System =>
      schemas.system.parse({
        service_key: `system_${at}`,
        name: `${pick(words, at * 3)} ${pick(['engine', 'desk', 'hub', 'service', 'app', 'gateway', 'box'], at)} ${at}`,
        system_type: pick(types, at),
        ...(at % 11 !== 0 && { administrating_department: pick(departments, (at * (at + 1)) >> 1) }),
        privacy_declarations: [
          {
            name: `Purpose ${at}`,
            data_use: pick(uses, at),
            data_subjects: [pick(subjects, at)],
            dataset_references: [`data_${at * 2}`, `data_${at * 2 + 1}`, `data_${(at * 13) % (count * 2)}`],
          },
        ],
        ...(at % 3 !== 0 && {
          egress: [{ service_key: `system_${(at * 7) % count}`, data_categories: [pick(categories, at)] }],
        }),
      }),
  )
  return { systems, datasets }
}
