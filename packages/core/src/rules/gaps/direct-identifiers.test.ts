import { expect, it } from 'vitest'
import type { ValueKind } from '../../model/value.js'
import { directIdentifier } from './direct-identifiers.js'

const found = (place: string, kind?: ValueKind) => {
  const [table, name] = place.split('.') as [string, string]
  return directIdentifier(table, { name, kind })
}

it.each([
  ['leads.first_name', 'user.name'],
  ['leads.phone', 'user.contact.phone_number'],
  ['person.name', 'user.name'],
  ['user_accounts.name', 'user.name'],
  ['shipments.recipient_name', 'user.name'],
  ['suppliers.contact_name', 'user.name'],
  ['vendors.ssn', 'user.government_id.national_identification_number'],
  ['import_2024.vorname', 'user.name'],
  ['import_2024.date_of_birth', 'user.date_of_birth'],
  ['raffle.e_mail', 'user.contact.email'],
  ['companies.billing_email', 'user.contact.email'],
  ['otp_codes.phone_number', 'user.contact.phone_number'],
  ['customers.mobile', 'user.contact.phone_number'],
  ['companies.manager_phone', 'user.contact.phone_number'],
  ['parcels.delivery_street', 'user.contact.address.street'],
  ['customer_address.street', 'user.contact.address.street'],
  ['addresses.street', 'user.contact.address.street'],
  ['checks.passport_number', 'user.government_id.passport_number'],
  ['patients.tax_id', 'user.government_id.national_identification_number'],
])('%s identifies a person', (place, category) => {
  expect(found(place)).toBe(category)
})

it.each([
  ...['products.name', 'products.display_name', 'cities.name', 'countries.country', 'categories.title'],
  ...['companies.name', 'companies.legal_name', 'companies.phone', 'companies.street', 'companies.tax_number'],
  ...['suppliers.phone', 'hotels.phone', 'warehouses.telephone', 'venues.street', 'stores.address_line1'],
  ...['settings.key', 'settings.value', 'settings.email', 'site_config.support_email'],
  ...['files.filename', 'files.path', 'columns.column_name', 'hosts.hostname', 'events.street', 'properties.street'],
  ...['accounts.name', 'oauth_clients.name', 'user_roles.name', 'account_types.name', 'lead_sources.name'],
  ...['invoices.tax_id', 'products.tax_number', 'sheets.cell', 'layouts.mobile', 'addresses.city', 'orders.zip'],
  ...['logs.ip_address', 'sessions.token', 'orders.status', 'jobs.state', 'posts.body', 'visits.user_agent'],
])('%s does not', (place) => {
  expect(found(place)).toBeUndefined()
})

it('a flag and a time identify nobody', () => {
  expect(found('leads.phone', 'boolean')).toBeUndefined()
  expect(found('leads.email', 'timestamp')).toBeUndefined()
  expect(found('leads.phone', 'integer')).toBe('user.contact.phone_number')
})
