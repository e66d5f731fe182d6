/** Cases that are not run, and why. */
export const casesLeftOut: Readonly<Record<string, string>> = {
  'query-008-postgres-update':
    'The cases of kind erasure run on PostgreSQL and compare the rows that such a statement leaves, each of them whole.',
  'query-013-dynamodb': 'DynamoDB is no type of connection here.',
  'scheduling-018-watchdog': 'A run that stopped is taken over by its lease: nothing counts interruptions.',
}

/** Members of an expectation that are not compared; a star in the way stands for any one name. */
export interface MemberLeftOut {
  readonly kind: string
  readonly member: string
  readonly reason: string
}

export const membersLeftOut: readonly MemberLeftOut[] = [
  { kind: 'access', member: 'datasets', reason: 'It repeats the input.' },
  {
    kind: 'access',
    member: 'raw.*.[]._id.$oid',
    reason: 'No column is read that no dataset describes.',
  },
  {
    kind: 'access',
    member: 'erasure_rows_that_differ',
    reason: 'An erasure reads what the access of the same request has read: there are no second rows to compare.',
  },
  {
    kind: 'erasure',
    member: 'statements.*.[].set',
    reason: 'What a statement sets is compared by the rows as they are before and after it, each of them whole.',
  },
  {
    kind: 'erasure',
    member: 'statements.*.[].matched',
    reason: 'A batch has one statement for many rows: how many were written is compared by collection.',
  },
  {
    kind: 'inputs',
    member: 'unordered',
    reason: 'All keys are compared as sets, whatever order the ancestor had.',
  },
  {
    kind: 'inputs',
    member: 'inputs.fidesops_grouped_inputs.[].email',
    reason: 'An identity of the collection is a way in of its own, which the same case compares with the seed.',
  },
  {
    kind: 'masking',
    member: 'secrets',
    reason: 'All secrets are derived from one of the request: there is no list of them.',
  },
  {
    kind: 'masking',
    member: 'size',
    reason: 'All secrets are derived from one of the request, whose length a test of the engine checks.',
  },
  { kind: 'package', member: 'layout', reason: 'It is prose: both texts are opened by the layout that is documented.' },
  {
    kind: 'package',
    member: 'top_level',
    reason: 'It is prose: the rows of every collection are compared, by its address.',
  },
  { kind: 'package', member: 'file', reason: 'Files are named by whoever stores a package.' },
  { kind: 'package', member: 'indent', reason: 'How JSON is spaced is of no meaning.' },
  { kind: 'package', member: 'datetime_format', reason: 'Times keep their fractions and their zone.' },
  {
    kind: 'package',
    member: 'one_file_per_access_rule',
    reason: 'The case gives rows of one rule; the tests of requests check several.',
  },
  { kind: 'scheduling', member: 'initially_ready', reason: 'The root is a task of the ancestor.' },
  { kind: 'scheduling', member: 'root_status', reason: 'The root is a task of the ancestor.' },
  { kind: 'scheduling', member: 'root_rows', reason: 'The root is a task of the ancestor.' },
  {
    kind: 'scheduling',
    member: 'input_keys_address',
    reason: 'A collection has ways in by field, not a list of parents.',
  },
  {
    kind: 'scheduling',
    member: 'time_limit_seconds_in_test',
    reason: 'How long a run takes is measured by benchmarks, not on a machine that runs tests.',
  },
  {
    kind: 'traversal',
    member: 'order_invariant',
    reason:
      'Each case is walked in a hundred orders of its input and has to come out the same, whatever the ancestor did.',
  },
  { kind: 'traversal', member: 'error.message_contains', reason: 'Sentences of the ancestor are not compared.' },
  { kind: 'traversal', member: 'skipped.*', reason: 'Sentences of the ancestor are not compared.' },
  { kind: 'update_map', member: 'sql_ancestor', reason: 'Statements are compared by what they set and where.' },
  { kind: 'update_map', member: 'sql_head', reason: 'Statements are compared by what they set and where.' },
]
