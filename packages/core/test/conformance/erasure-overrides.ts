import type { Json } from './bank.js'
import type { Override } from './override.js'
import { leaving } from './override-results.js'

/** An emergency contact has a name and a telephone number, so that it may be another person. */
const asked = ['mongo_test:employee.id', 'mongo_test:customer_details.emergency_contacts.phone']

/** The overrides of cases about erasing, a part of `overrides`. */
export const erasureOverrides: Readonly<Record<string, Override>> = {
  'erasure-001-sql-two-categories': {
    heading: 'What is erased',
    reason: 'Orders of other people point to address 1002 as well: it stays.',
    expected: leaving({ 'postgres_example:address': { row: ({ id }) => id === 1002, retained: 1 } }),
  },
  'erasure-003-sql-no-primary-key-head': {
    heading: 'Keys',
    reason: 'The live table has a key, whatever the description says; orders of other people point to address 1002.',
    expected: leaving({ 'postgres_example:address': { row: ({ id }) => id === 1002, retained: 1 } }),
  },
  'erasure-011-combined-mongo-postgres': {
    heading: 'Rows of other people',
    reason:
      'Pilots of a flight have an address of their own, so that whose they are is asked first, as it is of emergency contacts; address 1002 is shared, and so is the plane of a flight with several passengers.',
    expected: (given) => ({
      ...leaving({
        'postgres_example:address': { row: ({ id }) => id === 1002, retained: 1 },
        'mongo_test:employee': {},
        'mongo_test:aircraft': { retained: 1 },
        'mongo_test:customer_details': { columns: ['emergency_contacts'] },
      })(given),
      paused: { undecided: asked },
      undecided: { 'mongo_test:employee': 2, 'mongo_test:customer_details': 1 },
    }),
  },
  'erasure-016-sample-aes': {
    heading: 'What is erased',
    reason: 'A number cannot become the text that was asked for: nothing is written, and the field is named.',
    expected: { error: { names: ['address.house', 'aes_encrypt'] } },
  },
  'erasure-018-sample-user-all-head': {
    heading: 'Keys',
    reason:
      'Keys stay, of which a visit is nothing but; both addresses are shared, and a service request that names somebody else.',
    expected: leaving({
      'postgres_example_test_dataset:service_request': { retained: 1 },
      'postgres_example_test_dataset:customer': { columns: ['id'] },
      'postgres_example_test_dataset:visit': { retained: 1 },
      'postgres_example_test_dataset:address': { retained: 2 },
    }),
  },
  'erasure-021-disabled-connection': {
    heading: 'Not searched',
    reason: 'An erasure that leaves out what it is asked for is not begun unless somebody accepts that.',
    expected: ({ logs: _, ...given }) => ({
      ...given,
      paused: {
        unsearched: ['customer', 'employee'].map((name) => `postgres_example_test_dataset:${name}`),
      },
      skipped: ['customer', 'employee'].map((name) => `postgres_example_test_dataset:${name}`),
    }),
  },
  'erasure-026-mask-key-field': {
    heading: 'Keys',
    reason: 'A key is masked with a strategy of its own only.',
    input: {
      datasets: [
        {
          key: 'z',
          collections: [
            {
              name: 'a',
              fields: [
                {
                  name: 'email',
                  identity: 'email',
                  data_type: 'string',
                  primary_key: true,
                  data_categories: ['user.contact.email'],
                  masking_strategy_override: { strategy: 'string_rewrite', configuration: { rewrite_value: 'MASK' } },
                },
                { name: 'name', data_categories: ['user.name'], data_type: 'string' },
              ],
            },
          ],
        },
      ],
    },
  },
  'erasure-028-collection-delete-override': {
    heading: 'Keys',
    reason: 'Rows go by the keys of what was found, not by what they were found with: a neighbour stays.',
    input: {
      seeds: { email: 'employee-2@example.com' },
      rules: [{ targets: ['user'], strategy: 'null_rewrite', configuration: {} }],
      datasets: [
        {
          key: 'd',
          collections: [
            {
              name: 'employee',
              masking_strategy_override: { strategy: 'delete' },
              fields: [
                { name: 'id', primary_key: true, data_type: 'integer' },
                { name: 'email', identity: 'email', data_type: 'string', data_categories: ['user.contact.email'] },
                { name: 'address_id', references: [{ dataset: 'd', field: 'address.id', direction: 'to' }] },
              ],
            },
            { name: 'address', fields: [{ name: 'id', primary_key: true }] },
          ],
        },
      ],
      databases: {
        d: {
          kind: 'sql',
          tables: {
            employee: [
              { id: 1, email: 'employee-1@example.com', address_id: 3 },
              { id: 2, email: 'employee-2@example.com', address_id: 3 },
            ],
            address: [{ id: 3 }],
          },
        },
      },
    },
    expected: {
      changed_rows: {
        'd:employee': [{ before: { id: 2, email: 'employee-2@example.com', address_id: 3 }, after: null }],
      },
      statements: { 'd:employee': [{ where: { id: 2 } }] },
      counts: { 'd:employee': 1 },
    },
  },
  'scheduling-011-retry-erasure': {
    heading: 'Outcomes',
    reason:
      'A collection is tried once in a run; trying again is a second attempt of the request, which keeps what was done. Nothing in the specification sets a number of attempts.',
    input: {
      erases: 'cases/erasure-011-combined-mongo-postgres.json#input',
      asks: { undecided: asked },
    },
    expected: { per_collection: ['in_processing', 'error'] },
  },
  'scheduling-013-resume-erasure': {
    heading: 'Outcomes',
    reason: 'The databases of the case are those of another one.',
    input: {
      erases: 'cases/erasure-011-combined-mongo-postgres.json#input',
      asks: { undecided: asked },
    },
  },
  'update_map-001-one-field': {
    heading: 'Keys',
    reason: 'The key is that of the live table.',
    input: { databases_ref: { postgres_example_test_dataset: 'samples/db/postgres_example.ancestor.json#public' } },
  },
  'update_map-003-hash-broad': {
    heading: 'Keys',
    reason: 'A text is cut to the shorter of declared and live length; a key without a strategy of its own stays.',
    input: { databases_ref: { postgres_example_test_dataset: 'samples/db/postgres_example.ancestor.json#public' } },
    expected: ({ set }) => ({
      set: { ...(set as Json), email: ((set as Json)['email'] as string).slice(0, 100) },
      retained: ['id'],
    }),
  },
  'update_map-013-object-with-category': {
    heading: 'Keys',
    reason: 'A key stays, and so does what has a strategy of its own: the object goes member by member around it.',
    input: { categories: { address: ['user.contact.address'] } },
    expected: ({ set }) => {
      const { id: _, ...rest } = set as Json
      const address = { city: null, state: null, zip: null, house: '1234-test', street: null }
      return { set: { ...rest, address }, retained: ['id'] }
    },
  },
  'update_map-016-untyped-left': {
    heading: 'What is erased',
    reason: 'The type that counts is the live one: text is masked, declared or not, and a number stops the request.',
    input: {
      datasets: [
        {
          key: 'd',
          collections: [
            {
              name: 'c',
              fields: [
                { name: 'id', primary_key: true },
                { name: 'email', data_type: 'string', identity: 'email' },
                { name: 'n', data_type: 'string', data_categories: ['user.name'] },
                { name: 'age', data_type: 'integer', data_categories: ['user.name'] },
                { name: 'x', data_categories: ['user.name'] },
              ],
            },
          ],
        },
      ],
      databases: { d: { kind: 'sql', tables: { c: [{ id: 1, email: 'e', n: 'N', age: 5, x: 'q' }] } } },
      row: { id: 1, email: 'e', n: 'N', x: 'q' },
    },
    expected: { set: { n: 'M', x: 'M' }, impossible: ['age'] },
  },
}
