import { type SampleSchema, sqlOf } from './sample-schema.js'

/** A person is whoever has the e-mail address among her own. */
const persons = `(select business_entity_id from email_address where lower(email_address) = lower($1))`
const customers = `(select customer_id from customer where person_id in ${persons})`
const addresses = `(
  select address_id, business_entity_id in ${persons} as hers from business_entity_address
  union all select ship_to_address_id, customer_id in ${customers} from sales_order_header
) as pointer`
const cards = `(select credit_card_id, business_entity_id in ${persons} as hers from person_credit_card) as pointer`

/** A maker of bicycles: people are people first, and customers, employees and contacts of stores because of that. */
export const adventureworks: SampleSchema = {
  name: 'adventureworks',
  sql: sqlOf('adventureworks'),
  people: [
    { who: 'ken0@adventure.example' },
    { who: 'terri0@adventure.example' },
    { who: 'gail0@adventure.example' },
    {
      who: 'gigi0@bikes.example',
      identities: [{ email: 'gigi0@bikes.example' }, { email: 'gigi.old@post.example' }],
    },
    { who: 'diane1@bikes.example' },
    { who: 'jossef0@bikes.example' },
    { who: 'dylan0@bikes.example' },
    // She has never been more than a reviewer.
    { who: 'david@graphic.example' },
  ],
  truth: {
    person: { own: `select business_entity_id from person where business_entity_id in ${persons}` },
    email_address: {
      own: `select business_entity_id, email_address_id from email_address where business_entity_id in ${persons}`,
    },
    person_phone: { own: `select * from person_phone where business_entity_id in ${persons}` },
    password: { own: `select business_entity_id from password where business_entity_id in ${persons}` },
    employee: { own: `select business_entity_id from employee where business_entity_id in ${persons}` },
    business_entity_address: {
      own: `select * from business_entity_address where business_entity_id in ${persons}`,
    },
    address: {
      own: `select address_id from ${addresses} group by address_id having bool_and(hers)`,
      shared: `select address_id from ${addresses} group by address_id having bool_or(hers) and not bool_and(hers)`,
    },
    customer: { own: `select customer_id from customer where person_id in ${persons}` },
    product_review: {
      own: `select product_review_id from product_review where lower(email_address) in (
        select lower($1) union select lower(email_address) from email_address where business_entity_id in ${persons})`,
    },
    credit_card: {
      own: `select credit_card_id from ${cards} group by credit_card_id having bool_and(hers)`,
      shared: `select credit_card_id from ${cards} group by credit_card_id having bool_or(hers) and not bool_and(hers)`,
    },
    person_credit_card: { own: `select * from person_credit_card where business_entity_id in ${persons}` },
    sales_order_header: { own: `select sales_order_id from sales_order_header where customer_id in ${customers}` },
    sales_order_detail: {
      own: `select sales_order_id, sales_order_detail_id from sales_order_detail join sales_order_header using (sales_order_id)
        where customer_id in ${customers}`,
    },
  },
  nobodys: [
    'address_type',
    'business_entity',
    'country_region',
    'location',
    'phone_number_type',
    'product',
    'product_category',
    'product_inventory',
    'product_subcategory',
    'state_province',
    'store',
    'unit_measure',
    'v_individual_customer',
  ],
  answers: {
    asked: {
      'email_address.email_address': { identity: 'email' },
      'email_address.business_entity_id': { direction: 'both' },
      'product_review.email_address': { identity: 'email' },
      'business_entity_address.business_entity_id': {
        references: [{ field: 'person.business_entity_id', direction: 'from' }],
      },
      'business_entity_address.address_id': { direction: 'to' },
      'sales_order_header.ship_to_address_id': { direction: 'to' },
      'person_credit_card.credit_card_id': { direction: 'to' },
      'customer.person_id': { direction: 'from' },
      'employee.business_entity_id': { direction: 'from' },
      'person_phone.business_entity_id': { direction: 'from' },
    },
    beyond: {
      'business_entity_address.business_entity_id':
        'The foreign key leads to what persons and stores have in common; that a person has the same key is said nowhere.',
    },
    categories: {
      'employee.login_id': 'user.unique_id',
      'sales_order_header.comment': 'user.social',
      'product_review.comments': 'user.social',
    },
  },
  deletes: ['email_address', 'person_phone', 'password', 'product_review', 'business_entity_address'],
}
