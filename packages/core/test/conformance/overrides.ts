import type { Json } from './bank.js'
import { erasureOverrides } from './erasure-overrides.js'
import type { Override } from './override.js'
import { without } from './override-results.js'
import { traversalOverrides } from './traversal-overrides.js'

/** What is expected of cases otherwise than their files say, by case. */
export const overrides: Readonly<Record<string, Override>> = {
  'access-011-only-unused-identity': {
    heading: 'Identities',
    reason: 'A request none of whose properties any dataset knows stops before the first query.',
    expected: { request_status: 'error', error: { kind: 'unused_identity', names: ['email'] }, queries_sent: 0 },
  },
  'access-016-four-collections-mssql': {
    heading: 'Rows of other people',
    reason: 'The card that an order names belongs to another customer: it is counted, not delivered.',
    expected: without('my_mssql_db_1:payment_card', (row) => row['customer_id'] !== 1),
  },
  'access-021-joint-phone-ancestor': {
    heading: 'Identities',
    reason:
      'Two properties of one object must match together, and no profile holds both. As two alternatives the profile is found by its telephone number, so none of its addresses is delivered.',
    expected: ({ row_counts }) => ({
      as_one_object: {
        unconfirmed: ['email'],
        row_counts: Object.fromEntries(Object.keys(row_counts as Json).map((address) => [address, 0])),
        filtered: { user: {} },
      },
      as_two_alternatives: {
        row_counts,
        filtered: {
          user: {
            'mongo_test:internal_customer_profile': [
              {
                customer_identifiers: { derived_phone: ['530-486-6983', '254-344-9868'] },
                derived_interests: ['interior design', 'travel', 'photography'],
              },
            ],
            'mongo_test:rewards': [
              { owner: [{ phone: '530-486-6983' }, { phone: '818-695-1881' }] },
              { owner: [{ phone: '254-344-9868' }] },
            ],
          },
        },
      },
    }),
  },
  'access-023-joint-jane-head': {
    heading: 'Rows of other people',
    reason: 'The pilot of a flight is looked up and has an address of their own: counted, not delivered.',
    expected: without('mongo_test:employee', (row) => row['email'] !== 'jane@example.com'),
  },
  'elements-018-two-paths-same-array': {
    heading: 'Arrays',
    reason:
      'An element whose fields name the subject and somebody else as well is not the subject’s alone, so it stays.',
    expected: { row: { J: ['FIDESOPS_DO_NOT_MASK', 'FIDESOPS_DO_NOT_MASK', 'FIDESOPS_DO_NOT_MASK'] } },
  },
  'access-028-disabled-referenced-head': {
    heading: 'Not searched',
    reason: 'References to a disabled connection do not fail the run; what only they lead to is not searched.',
    input: {
      seeds: { email: 'customer-1@example.com' },
      disabled_connections: ['postgres_example_test_dataset'],
      databases_ref: {
        postgres_example_test_dataset: 'samples/db/postgres_example.ancestor.json#public',
        mongo_test: 'samples/db/mongo_example.ancestor.json',
      },
    },
    expected: {
      error: null,
      row_counts: {
        'mongo_test:customer_feedback': 1,
        'mongo_test:employee': 0,
        'mongo_test:internal_customer_profile': 1,
        'mongo_test:rewards': 0,
      },
      skipped_behind_disabled: ['aircraft', 'conversations', 'customer_details', 'flights', 'payment_card'].map(
        (name) => `mongo_test:${name}`,
      ),
    },
  },
  'access-031-float-and-zero-ancestor': {
    heading: 'Values',
    reason: 'A whole number has one shortest decimal form, and 0 is followed.',
    expected: {
      row_counts: { 'm:a': 1, 'm:b': 1, 'm:z': 1 },
      query_inputs: { 'm:a': { email: ['e'] }, 'm:b': { planes: ['10002'] }, 'm:z': { k: [0] } },
      raw: {
        'm:a': [{ email: 'e', plane: 10002, num: 0 }],
        'm:b': [{ planes: ['10002'], x: 1 }],
        'm:z': [{ k: 0, v: 'zero' }],
      },
    },
  },
  'coerce-001-integer': {
    heading: 'Values',
    reason: 'A cast that would lose something gives no value: 1.9 is not 1, nor is true.',
    expected: { values: [1, 1, null, null, null, null, null, null] },
  },
  ...erasureOverrides,
  'filter-016-collection-parent': {
    heading: 'What is delivered',
    reason: "A collection's categories apply to its declared fields, and it declares none.",
    expected: { filtered: {} },
  },
  'filter-023-attachments': {
    heading: 'What is delivered',
    reason: 'Nothing passes the filter because of the shape of its rows; what no dataset describes is not read.',
    expected: { filtered: { 'regular_connection:users': [{ name: 'Another User' }] } },
  },
  'filter-026-row-empty-object': {
    heading: 'What is delivered',
    reason: 'A row of which nothing is left is left out.',
    expected: { filtered: { 'd:c': [{ a: 1 }] } },
  },
  'filter-028-raw-string-prefix': {
    heading: 'What is delivered',
    reason: 'Categories are matched by whole segments.',
    expected: { filtered: { 'd:c': [{ a: 1 }] } },
  },
  'inputs-011-grouped-on': {
    heading: 'Groups',
    reason:
      'The parts of one composite reference match together for each row before it; an identity of the same collection is an alternative to it, not a further part.',
  },
  'masking-011-hmac-date': {
    heading: 'Values',
    reason: 'A time is RFC 3339 text here; the digest is of the text that the ancestor made of it.',
    input: { values: ['2000-01-01 00:00:00'] },
  },
  'masking-018-string-rewrite-null': {
    heading: 'What is erased',
    reason: 'What holds nothing stays so under every strategy.',
    expected: { masked: [null, 'cool'] },
  },
  'policy-001-erasure-overlap': {
    heading: 'What is erased',
    reason: 'Inside one rule a category and one above it do no harm: both ask for the same.',
    expected: { valid: [true, true, true, true, false] },
  },
  'query-001-generic-sql-ancestor': {
    heading: 'What is delivered',
    reason: 'Only what is targeted, entered or followed is read, not every declared column.',
    expected: {
      where: [{ id: ['A'], customer_id: ['V'] }, { id: ['A'] }, { id: ['A'] }, { customer_id: ['V'] }],
      columns_needed: { 'with entry columns': ['billing_address_id', 'customer_id', 'id'] },
    },
  },
  'query-006-mongo-find': {
    heading: 'Not searched',
    reason: 'A collection is read where its owner is, so that its owner has to be described; all of it is targeted.',
    input: {
      datasets_ref: ['mongo', 'postgres'].map((kind) => `samples/datasets/ancestor/${kind}_example_test_dataset.json`),
    },
  },
  'scheduling-006-empty-graph': {
    heading: 'Outcomes',
    reason: 'With no dataset connected a request completes with an empty package.',
    expected: { request_status: 'complete', tasks: 0 },
  },
  ...traversalOverrides,
}
