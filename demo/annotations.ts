/** What a person says about a field or a collection that no catalogue can know. */
export interface Annotation {
  readonly categories?: readonly string[]
  readonly meta?: Readonly<Record<string, unknown>>
  /** Fields inside a document, each described in turn. */
  readonly fields?: Readonly<Record<string, Annotation>>
}

/** A drafted category below this confidence is not taken over. */
export const leastConfidence = 0.6

/** Proposals that a person strikes out: what the name suggests is not what the column holds. */
export const struckOut: Readonly<Record<string, string>> = {
  'suppliers.city:category': 'a supplier is a company',
  'customers.password_hash:category': 'a hash tells its owner nothing, and a thief much',
}

/** Proposals that are applied only because a person says so: who is meant, and whose the rows are. */
export const accepted: readonly string[] = [
  'customers.email:identity',
  'customers.phone_number:identity',
  'newsletter_subscriptions.email:identity',
  'customers.address_id:to',
  'payment_cards.customer_id:from',
  'payment_cards.billing_address_id:to',
  'orders.customer_id:from',
  'orders.shipping_address_id:to',
  'orders.payment_card_id:none',
  'order_items.order_id:from',
  'order_returns.order_id+line:from',
  'shipments.order_id:from',
  'product_reviews.customer_id:from',
  'wish_lists.customer_id:from',
  'support_threads.customer_id:from',
  'support_threads.order_id:none',
  'support_messages.author_id:from',
  'logins.customer_id:from',
  'login_challenges.login_id:from',
  'visits.customer_id:from',
  'visit_events.visit_id:from',
  'loyalty_accounts.customer_id:from',
  'loyalty_points.program+member_number:from',
]

/** The law of the shop's country has it keep what it sold for ten years. */
const booksOfAccount = { reason: 'books of account' }

/** What a row points to is told with it: what somebody bought is no secret to them. */
const leadsTo = (field: string) => ({ references: [{ dataset: 'shop', field, direction: 'to' }] })

/** By `collection.field`, or `collection` alone. */
export const annotations: Readonly<Record<string, Annotation>> = {
  // who is meant
  'walk_in_sales.club_card': { categories: ['user.unique_id'], meta: { identity: 'club_card' } },
  'shared_lists.members': {
    meta: { data_type: 'object[]' },
    fields: {
      email: { categories: ['user.contact.email'], meta: { identity: 'email' } },
      first_name: { categories: ['user.name'] },
      wants: { categories: ['user.observed'] },
    },
  },

  // what references mean, and one that the database does not enforce
  'audit_log.owner_id': {
    meta: {
      references: [
        { dataset: 'shop', field: 'customers.id', direction: 'from', when: { owner_type: 'customer' } },
        { dataset: 'shop', field: 'orders.id', direction: 'from', when: { owner_type: 'order' } },
      ],
    },
  },
  'order_items.product_id': { categories: ['user.observed'], meta: leadsTo('products.id') },
  'support_messages.thread_id': {
    meta: { references: [{ dataset: 'shop', field: 'support_threads.id', direction: 'none' }] },
  },
  'product_reviews.product_id': { categories: ['user.observed'], meta: leadsTo('products.id') },
  'wish_lists.product_id': { categories: ['user.observed'], meta: leadsTo('products.id') },
  'audit_log.action': { categories: ['user.observed'] },
  'audit_log.at': { categories: ['user.observed'] },

  // what names do not tell
  'customers.profile': {
    meta: { data_type: 'object' },
    fields: {
      language: { categories: ['user.demographic'] },
      sizes: { categories: ['user.profiling'] },
      interests: { categories: ['user.profiling'] },
    },
  },
  'customers.created_at': {
    categories: ['user.observed'],
    meta: { retain: { reason: 'counted in the statistics of the shop' } },
  },
  'payment_cards.holder': { categories: ['user.name'] },
  'payment_cards.brand': { categories: ['user.payment'] },
  'payment_cards.last_digits': { categories: ['user.payment.financial_account_number'] },
  'payment_cards.expires_on': {
    categories: ['user.payment'],
    meta: { retain: { reason: 'says nothing without the card' } },
  },
  'products.id': { categories: ['user.observed'] },
  'products.name': { categories: ['user.observed'] },
  'orders.id': { categories: ['user.observed'] },
  'orders.status': { categories: ['user.observed'], meta: { retain: booksOfAccount } },
  'orders.total_cents': { categories: ['user.financial'], meta: { retain: booksOfAccount } },
  'orders.gift_note': { categories: ['user.social'] },
  'orders.placed_at': { categories: ['user.observed'], meta: { retain: booksOfAccount } },
  'order_items.order_id': { categories: ['user.observed'] },
  'order_items.quantity': { categories: ['user.observed'], meta: { retain: booksOfAccount } },
  'order_items.engraving': { categories: ['user.social'] },
  'order_returns.reason': { categories: ['user.observed'] },
  'shipments.signed_by': { categories: ['user.name'] },
  'shipments.tracking_code': { categories: ['user.observed'] },
  'product_reviews.stars': {
    categories: ['user.observed'],
    meta: { retain: { reason: 'part of the rating of the product' } },
  },
  'product_reviews.body': { categories: ['user.social'] },
  'wish_lists.note': { categories: ['user.observed'] },
  'shared_lists.title': { categories: ['user.social'] },
  'support_threads.subject': { categories: ['user.social'] },
  'support_messages.body': { categories: ['user.social'] },
  'support_messages.sent_at': { categories: ['user.observed'] },
  'logins.device': { categories: ['user.device'] },
  'logins.logged_in_at': { categories: ['user.observed'] },
  'login_challenges.method': { categories: ['user.observed'] },
  'login_challenges.sent_to': { categories: ['user.contact.phone_number'] },
  'visits.landing_page': { categories: ['user.browsing_history'] },
  'visits.started_at': { categories: ['user.observed'] },
  'visit_events.kind': { categories: ['user.observed'] },
  'visit_events.page': { categories: ['user.browsing_history'] },
  'visit_events.happened_at': { categories: ['user.observed'] },
  'newsletter_subscriptions.list': { categories: ['user.observed'] },
  'loyalty_accounts.tier': { categories: ['user.profiling'] },
  'loyalty_accounts.member_number': { categories: ['user.unique_id'] },
  'loyalty_points.points': { categories: ['user.profiling'] },
  'loyalty_points.reason': { categories: ['user.profiling'] },

  // what may go with its whole row when somebody wants to be forgotten, and what has to stay
  visits: { meta: { erase: 'delete' } },
  visit_events: { meta: { erase: 'delete' } },
  logins: { meta: { erase: 'delete' } },
  login_challenges: { meta: { erase: 'delete' } },
  wish_lists: { meta: { erase: 'delete' } },
  newsletter_subscriptions: { meta: { erase: 'delete' } },
  loyalty_accounts: { meta: { erase: 'delete' } },
  loyalty_points: { meta: { erase: 'delete' } },
  support_threads: { meta: { erase: 'delete' } },
  support_messages: { meta: { erase: 'delete' } },
  audit_log: { meta: { retain: { reason: 'needed to find out about break-ins' } } },
  products: { meta: { retain: { reason: 'the catalogue is nobody’s data' } } },

  // lines of text from a till of long ago, in which nobody can be found
  legacy_imports: { meta: { skip_processing: true } },
  'legacy_imports.line': { categories: ['user'] },
}
