import { type SampleSchema, sqlOf } from './sample-schema.js'

const contacts = `(select id from contacts where lower(email) = lower($1))`
const deals = `(select id from deals where contact_id in ${contacts})`

/** A CRM: `owner_id` says who looks after a row there, and not whose it is. */
export const crm: SampleSchema = {
  name: 'crm',
  sql: sqlOf('crm'),
  people: [
    { who: 'rita@crm.example' },
    { who: 'sam@crm.example' },
    // A colleague who is in the files as a contact, too.
    { who: 'tom@crm.example' },
    { who: 'import@crm.example' },
    { who: 'anna@anvil.example', carries: 'the firm whose first contact she is' },
    { who: 'beat@anvil.example' },
    { who: 'clea@one.example', carries: 'the firm whose first contact she is' },
  ],
  truth: {
    users: { own: `select id from users where lower(email) = lower($1)` },
    contacts: { own: `select id from contacts where lower(email) = lower($1)` },
    deals: { own: `select id from deals where contact_id in ${contacts}` },
    deal_products: { own: `select deal_id, product_id from deal_products where deal_id in ${deals}` },
    notes: {
      own: `select id from notes where notable_type = 'Contact' and notable_id in ${contacts}
        or notable_type = 'Deal' and notable_id in ${deals}`,
    },
    activities: { own: `select id from activities where contact_id in ${contacts}` },
    contact_tags: { own: `select contact_id, tag_id from contact_tags where contact_id in ${contacts}` },
  },
  nobodys: [
    'companies',
    'currencies',
    'import_batches',
    'lead_sources',
    'loss_reasons',
    'pipelines',
    'products',
    'stages',
    'tags',
    'contact_list',
  ],
  answers: {
    asked: {
      companies: { owner: [] },
      'users.email': { identity: 'email' },
      'contacts.email': { identity: 'email' },
      'contacts.owner_id': { direction: 'none' },
      'import_batches.created_by': { direction: 'none' },
      'deals.owner_id': { direction: 'none' },
      'notes.notable_id': {
        references: [
          { field: 'contacts.id', direction: 'from', when: { notable_type: 'Contact' } },
          { field: 'deals.id', direction: 'from', when: { notable_type: 'Deal' } },
        ],
      },
      'activities.user_id': { direction: 'none' },
    },
    beyond: {
      'notes.notable_id': 'A draft looks for people behind such a pair; that deals have notes is in the rows alone.',
    },
    categories: {
      'deals.title': 'user.observed',
      'notes.body': 'user.observed',
      'activities.subject': 'user.observed',
    },
  },
  deletes: ['contacts', 'deals', 'deal_products', 'activities', 'contact_tags'],
}
