import { describe, expect, it } from 'vitest'
import type { CatalogueCollection } from '../../model/catalogue.js'
import { defaultDataCategories } from '../../model/default-data-categories.js'
import type { ValueKind } from '../../model/value.js'
import { namePatterns } from './name-patterns.js'
import { isFreeText, proposeCategories } from './propose-categories.js'

const table = (collection: string, name: string, kind?: ValueKind): CatalogueCollection => ({
  name: collection,
  columns: [{ name, type: '', nullable: true, ...(kind && { kind }) }],
  primaryKey: [],
  uniqueKeys: [],
  foreignKeys: [],
  indexes: [],
})
const proposed = (name: string, kind?: ValueKind, collection = 'orders') =>
  proposeCategories([table(collection, name, kind)])[0]

describe('a column is proposed by a sample', () => {
  it('whatever its name, where that suggests nothing', () => {
    const of = (name: string) => {
      const { columns, ...given } = table('newsletter', name, 'string')
      return proposeCategories([
        { ...given, columns: columns.map((each) => ({ ...each, holds: 'email' as const })) },
      ])[0]
    }
    expect(of('_id')).toMatchObject({
      category: 'user.contact.email',
      reason: 'Most of its texts in a sample are e-mail addresses.',
    })
    expect(of('username')).toMatchObject({ category: 'user.unique_id' })
  })
})

describe('a column that refers to another', () => {
  const of = (name: string, to: string) => {
    const references = { collection: 'person', columns: [to] }
    const foreignKeys = [{ name: 'fk', columns: [name], onDelete: 'no action' as const, references }]
    return proposeCategories([{ ...table('talk', name, 'string'), foreignKeys }])[0]?.category
  }
  it('is proposed where what it refers to would be', () => {
    expect(of('login', 'login')).toBe('user.unique_id')
    expect(of('customer', 'email')).toBe(undefined)
    expect(of('contact', 'email')).toBe('user.contact')
  })
  it('is a key otherwise, whatever it is called', () => {
    expect(of('contact', 'id')).toBe(undefined)
    expect(of('device', 'uuid')).toBe(undefined)
  })
})

describe('a column is proposed by its name', () => {
  it.each<[string, ValueKind | undefined, string | undefined]>([
    ['email', 'string', 'user.contact.email'],
    ['contactEmailAddress', 'string', 'user.contact.email'],
    ['E-Mail', 'string', 'user.contact.email'],
    ['email_verified', 'boolean', undefined],
    ['email_sent_at', 'timestamp', undefined],
    ['email', 'boolean', undefined],
    ['emails.address', 'string', 'user.contact.email'],
    ['profile.emails.address', 'string', 'user.contact.email'],
    ['phones.value', 'string', 'user.contact.phone_number'],
    ['shops.address', 'string', 'user.contact.address'],
    ['settings.value', 'string', undefined],
    ['phone', 'string', 'user.contact.phone_number'],
    ['mobile_no', 'integer', 'user.contact.phone_number'],
    ['first_name', 'string', 'user.name'],
    ['LastName', 'string', 'user.name'],
    ['file_name', 'string', undefined],
    ['username', 'string', 'user.unique_id'],
    ['street', 'string', 'user.contact.address.street'],
    ['address_line_2', 'string', 'user.contact.address.street'],
    ['ip_address', undefined, 'user.device.ip_address'],
    ['ip_adresse', 'string', 'user.device.ip_address'],
    ['last_login_ip', 'string', 'user.device.ip_address'],
    ['zip', 'integer', 'user.contact.address.postal_code'],
    ['postcode', 'string', 'user.contact.address.postal_code'],
    ['zipped', 'boolean', undefined],
    ['shipping_address', 'object', 'user.contact.address'],
    ['city', 'string', 'user.contact.address.city'],
    ['capacity', 'integer', undefined],
    ['country_code', 'string', 'user.contact.address.country'],
    ['dob', 'date', 'user.date_of_birth'],
    ['dateOfBirth', 'date', 'user.date_of_birth'],
    ['birthday', 'timestamp', 'user.date_of_birth'],
    ['age', 'integer', 'user.non_specific_age'],
    ['message', 'string', undefined],
    ['password_hash', 'string', 'user.credentials.password'],
    ['passwd', 'string', 'user.credentials.password'],
    ...[['passcode'], ['password_hashes'], ['login_hash'], ['hashed_pw']].map(([name]): [string, 'string', string] => [
      name as string,
      'string',
      'user.credentials.password',
    ]),
    ...'tokens api_keys access_tokens credentials totp_seed mfa_secret otp security_answer auth_key activation_key jwt'
      .split(' ')
      .map((name): [string, 'string', string] => [name, 'string', 'user.credentials']),
    ['tokens', 'object', 'user.credentials'],
    ['password', 'object', 'user.credentials.password'],
    ['card_number', 'string', 'user.payment.financial_account_number'],
    ['ccnum', 'string', 'user.payment.financial_account_number'],
    ['cvv', 'integer', 'user.payment'],
    ['iban', 'string', 'user.financial.account_number'],
    ['salary', 'decimal', 'user.financial'],
    ['ssn', 'string', 'user.government_id.national_identification_number'],
    ['tax_id', 'string', 'user.government_id.national_identification_number'],
    ['passport_no', 'string', 'user.government_id.passport_number'],
    ['gender', 'string', 'user.gender'],
    ['latitude', 'float', 'user.location'],
    ['user_agent', 'string', 'user.device'],
    ['customer_id', 'uuid', 'user.unique_id'],
    ['order_id', 'integer', undefined],
    ['diagnosis', 'string', 'user.health_and_medical'],
    ['created_at', 'timestamp', undefined],
    ['user_pass', 'string', 'user.credentials.password'],
    ['encrypted_password', 'string', 'user.credentials.password'],
    ['password_hint', 'string', 'user.credentials.password'],
    ['password_changed_at', 'timestamp', undefined],
    ['reset_password_token', 'string', 'user.credentials'],
    ['accessToken', 'string', 'user.credentials'],
    ['refresh_token_hash', 'string', 'user.credentials'],
    ['token', 'uuid', 'user.credentials'],
    ['token_count', 'integer', undefined],
    ['apiKey', 'string', 'user.credentials'],
    ['client_secret', 'string', 'user.credentials'],
    ['otp_secret', 'string', 'user.credentials'],
    ['file_hash', 'string', undefined],
    ['Straße', 'string', 'user.contact.address.street'],
    ['Nachname', 'string', 'user.name'],
    ['geburtsdatum', 'date', 'user.date_of_birth'],
    ['ansprechpartner', 'string', 'user.name'],
    ['unique_id', 'uuid', 'user.unique_id'],
    ['email_alt', 'string', 'user.contact.email'],
    ['email_2', 'string', 'user.contact.email'],
    ['alt_email', 'string', 'user.contact.email'],
    ['mail_sent', 'string', undefined],
    ['email_canonical', 'string', 'user.contact.email'],
    ['last_name_normalized', 'string', 'user.name'],
    ['cityLower', 'string', 'user.contact.address.city'],
    ['emails', 'string', 'user.contact.email'],
    ['emails', 'integer', undefined],
    ['phones', 'string', 'user.contact.phone_number'],
    ['phone1', 'string', 'user.contact.phone_number'],
    ['tel2', 'string', 'user.contact.phone_number'],
    ['recipient', 'string', 'user.contact'],
    ['recipient', 'integer', undefined],
    ['contact_info', 'string', 'user.contact'],
    ['contact', 'string', 'user.contact'],
    ['contact', 'integer', undefined],
    ['emergency_contact', 'string', 'user.contact'],
    ['contact_person', 'string', 'user.contact'],
    ['pupil_name', 'string', 'user.name'],
    ['mother_maiden', 'string', 'user.name'],
    ['id_document_no', 'string', 'user.government_id.national_identification_number'],
    ['identity_card_number', 'string', 'user.government_id.national_identification_number'],
    ['id_document', 'string', undefined],
    ['gp_surgery', 'string', 'user.health_and_medical'],
    ['photo_path', 'string', 'user'],
    ['photo_count', 'integer', undefined],
    ['device', 'string', 'user.device'],
    ['device', 'integer', undefined],
    ['device_count', 'integer', undefined],
  ])('%s, of kind %s: %s', (name, kind, category) => expect(proposed(name, kind)?.category).toBe(category))

  it('is proposed with a confidence and a reason, for a person to judge', () => {
    expect(proposed('email', 'string', 'customer')).toEqual({
      id: 'customer.email:category',
      kind: 'category',
      collection: 'customer',
      field: 'email',
      category: 'user.contact.email',
      confidence: 0.95,
      reason: 'The column is named like an email address.',
    })
  })

  it.each<[string, string, boolean]>([
    ['orders', 'recipient_name', true],
    ['employees', 'emergency_contact_phone', true],
    ['employees', 'spouseEmail', true],
    ['customer', 'guardian.email', true],
    ['orders', 'agent_email', true],
    ['agents', 'agent_email', false],
    ['customer', 'billing_email', false],
    ['customer', 'last_name', false],
    ['driver', 'drivers_license_no', false],
    ['orders', 'referrer_url', false],
  ])('is proposed with a hint where it is named for another person: %s.%s %s', (collection, name, isHinted) => {
    expect(proposed(name, 'string', collection)?.reason.includes("somebody other than the row's person")).toBe(isHinted)
  })

  it('is proposed with more confidence in a table named after people', () => {
    expect(proposed('name', 'string', 'customers')?.category).toBe('user.name')
    expect(proposed('name', 'string', 'product')).toBeUndefined()
    for (const people of ['users', 'authors', 'customer_profiles'])
      expect(proposed('display_name', 'string', people)?.category).toBe('user.name')
    for (const things of ['products', 'tags', 'settings'])
      expect(proposed('display_name', 'string', things)).toBeUndefined()
    expect(proposed('state', 'string', 'Customer')?.confidence).toBe(0.7)
    expect(proposed('state', 'string', 'payment')?.confidence).toBe(0.3)
  })
})

describe('a name at the end of a column is a person’s after a word for people alone', () => {
  it.each([
    ...['holder_name', 'account_holder_name', 'payer_name', 'payeeName', 'author_display_name', 'owner_name'],
    ...['contact_name', 'gift_recipient_name', 'sender_name', 'customer_name', 'guest_name', 'patient_names'],
    ...['beneficiary_name', 'signatory_name', 'billing_name', 'shipping_name', 'user_display_name', 'reviewer_name'],
  ])('%s is', (name) => expect(proposed(name, 'string')?.category).toBe('user.name'))

  it.each([
    ...['product_name', 'category_name', 'hostname', 'host_name', 'event_name', 'display_order', 'plan_name'],
    ...['table_name', 'file_name', 'display_name', 'driver_name', 'tenant_name', 'parent_name', 'placeholder_name'],
    ...['holder_count', 'company_display_name', 'name_of_product', 'author_id', 'schema_name', 'customer_type_name'],
  ])('%s is not', (name) => expect(proposed(name, 'string')?.category).not.toBe('user.name'))
})

it.each([
  ['card_last4', 'user.payment'],
  ['last4', 'user.payment'],
  ['last_four_digits', 'user.payment'],
  ['iban_last4', 'user.payment'],
  ['default_card_last_4', 'user.payment'],
  ['masked_pan', 'user.payment.financial_account_number'],
  ['pan', 'user.payment.financial_account_number'],
  ...['span', 'camera_pan', 'last_40', 'phone_last4', 'last_leg', 'card_title'].map((name) => [name, undefined]),
])('%s suggests %s of payments', (name, category) =>
  expect(proposed(name as string, 'string')?.category).toBe(category),
)

it('pan suggests a card number where it is a text, not where it is a number', () => {
  expect(proposed('pan', 'integer')).toBeUndefined()
  expect(proposed('pan', 'decimal')).toBeUndefined()
  expect(proposed('masked_pan', 'integer')?.category).toBe('user.payment.financial_account_number')
})

it.each([
  ['email_log', 'to_address', 'user.contact.email'],
  ['client_emails', 'address', 'user.contact.email'],
  ['mails', 'from_address', 'user.contact.email'],
  ['EmailMessages', 'cc', 'user.contact.email'],
  ['outbox', 'recipient', 'user.contact.email'],
  ['shipments', 'from_address', 'user.contact.address'],
  ['shipments', 'recipient', 'user.contact'],
  ['email_templates', 'sender', undefined],
  ['mail_server_settings', 'cc', undefined],
  ['orders', 'cc', undefined],
])('%s.%s suggests %s', (collection, name, category) => {
  expect(proposed(name, 'string', collection)?.category).toBe(category)
})

it.each([
  ['documents', 'filename', true],
  ['documents', 'original_file_name', true],
  ['uploads', 'attachment', true],
  ['email_log', 'subject', true],
  ['support_tickets', 'subject', true],
  ['threads', 'title', true],
  ['courses', 'subject', false],
  ['products', 'title', false],
  ['messages', 'body_preview', true],
  ['messages', 'content_html', true],
  ['messages', 'content_type', false],
  ['messages', 'message_count', false],
  ['uploads', 'attachment_count', false],
  ['profiles', 'profile', false],
])('%s.%s is a free text: %s', (collection, name, isText) => {
  expect(isFreeText(collection, { name, kind: 'string' })).toBe(isText)
})

it('proposes only built-in categories', () => {
  const known = new Set(defaultDataCategories.map(([key]) => key))
  for (const { category, confidence } of namePatterns) {
    expect(known).toContain(category)
    expect(confidence).toBeGreaterThan(0)
    expect(confidence).toBeLessThanOrEqual(1)
  }
})
