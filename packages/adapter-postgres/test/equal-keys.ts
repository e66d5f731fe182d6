/** Keys that a server holds equal over a foreign key: as the one table has Ann's, as the other has it, and Bob's. */
export const equalKeys = [
  ['numeric', '5.00', 'integer', '5', '6'],
  ['numeric', '5.00', 'numeric', '5', '6.0'],
  ['numeric', '5.00', 'numeric(9,3)', '5', '6'],
  ['numeric', 'NaN', 'numeric', 'NaN', 'Infinity'],
  ['numeric', '-Infinity', 'numeric', '-Infinity', 'NaN'],
  ['numeric', '9007199254740993.0', 'bigint', '9007199254740993', '9007199254740992'],
  ['bigint', '5', 'smallint', '5', '6'],
  ['float8', 'NaN', 'float8', 'NaN', 'Infinity'],
  ['float8', '-Infinity', 'float8', '-Infinity', 'Infinity'],
  ['date', 'infinity', 'date', 'infinity', '-infinity'],
  ['date', '0044-03-15 BC', 'date', '0044-03-15 BC', '0044-03-15'],
  ['date', '5874897-12-31', 'date', '5874897-12-31', '5874897-12-30'],
  ['timestamp', '-infinity', 'timestamp', '-infinity', 'infinity'],
  ['timestamp', '4714-11-24 00:00:00 BC', 'timestamp', '4714-11-24 00:00:00 BC', '4714-11-24 00:00:01 BC'],
  [
    ...(['timestamptz', '294276-12-31 23:59:59.999999+00'] as const),
    ...(['timestamptz', '294276-12-31 23:59:59.999999+00', '294276-12-31 23:59:59.999998+00'] as const),
  ],
] as const
