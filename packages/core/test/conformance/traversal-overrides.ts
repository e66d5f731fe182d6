import { directedAway, fieldsReferringTo } from './directions.js'
import type { Override } from './override.js'

const chain = (...addresses: string[]) => addresses.map((address) => `dr_${address}:ds_${address}`)

/** What a case without directions gives as it stands: what the identity enters, and open references, counted alone. */
const undirected =
  (property: string, entered: string): NonNullable<Override['asGiven']> =>
  (input) => ({
    reachable: [entered],
    open: fieldsReferringTo(property, input),
  })

/** The overrides of cases about what leads where, a part of `overrides`. */
export const traversalOverrides: Readonly<Record<string, Override>> = {
  'traversal-006-directed-cycle': {
    heading: 'Following',
    reason: 'Collections on a circle are one component that runs to its fixpoint; each has one place in the order.',
    expected: ({ map }) => ({
      map,
      visits: { 'dr_1:ds_1': [1], 'dr_2:ds_2': [2], 'dr_3:ds_3': [3] },
      terminators: [],
      components: [chain('1', '2', '3')],
    }),
  },
  'traversal-011-unreachable-other-seed-ancestor': {
    heading: 'Not searched',
    reason: 'What another identity would reach is not searched, which is no error.',
    expected: {
      map: {
        '__ROOT__:__ROOT__': { from: {}, to: { 'mysql:user': ['ssn -> ssn'] } },
        'mysql:user': { from: { '__ROOT__:__ROOT__': ['ssn -> ssn'] }, to: {} },
      },
      terminators: ['mysql:user'],
      skipped: ['mysql:customer'],
    },
  },
  'traversal-013-undirected-chain': {
    heading: 'Without a direction',
    reason: 'With the directions that the case means, everything is reached in the order it says.',
    input: directedAway('email'),
    asGiven: undirected('email', 'dr_1:ds_1'),
  },
  'traversal-016-ternary-tree-from-ssn': {
    heading: 'Without a direction',
    reason: 'With directions away from the collection that the identity enters, everything is reached.',
    input: directedAway('ssn'),
    asGiven: undirected('ssn', 'root_0_1_0:ds'),
  },
  'traversal-018-fully-connected-25': {
    heading: 'Without a direction',
    reason:
      'With directions away from the collection that the identity enters, everything is reached over every reference.',
    input: directedAway('email'),
    asGiven: undirected('email', 'dr_1:ds_1'),
  },
  'traversal-021-after-dataset-2-after-5': {
    heading: 'Without a direction',
    reason: 'With directions that agree with `after`, the order holds in the plan and in the run.',
    input: directedAway('email', chain('1', '5', '2', '3', '4')),
    asGiven: undirected('email', 'dr_1:ds_1'),
  },
  'traversal-023-after-cycle-datasets': {
    heading: 'Without a direction',
    reason: 'Only what is searched has to wait: with directions the circle of `after` is an error.',
    input: directedAway('email'),
    asGiven: undirected('email', 'dr_1:ds_1'),
  },
  'traversal-028-unknown-field-tolerated': {
    heading: 'Not searched',
    reason:
      'A reference to a field nobody described is a finding and is not followed; what it alone would reach is named.',
    expected: {
      finding: 'dr_1.ds_1.f1 -> dr_2.ds_2.nope',
      map: {
        '__ROOT__:__ROOT__': { from: {}, to: { 'dr_1:ds_1': ['email -> f1'] } },
        'dr_1:ds_1': { from: { '__ROOT__:__ROOT__': ['email -> f1'] }, to: {} },
      },
      terminators: ['dr_1:ds_1'],
      unsearched: Object.fromEntries(chain('2', '3').map((address) => [address, 'unreachable'])),
    },
  },
  'traversal-043-policy-unreachable-with-category': {
    heading: 'Not searched',
    reason: 'What nothing leads to is named as not searched: an access completes, an erasure asks first.',
    expected: {
      reachable: ['unreachable_with_data_categories:customer'],
      unsearched: { 'unreachable_with_data_categories:address': 'unreachable' },
    },
  },
  'traversal-046-after-with-seed': {
    heading: 'Identities',
    reason:
      'As two alternatives each property enters what declares it; as one object no row could say that both are hers.',
    input: { identities: [{ email: 't' }, { phone: '555-1234' }] },
    asGiven: {
      reachable: [],
      unsearched: { 'ds_a:coll_a': 'identity not confirmed', 'ds_c:coll_c': 'identity not confirmed' },
    },
  },
}
