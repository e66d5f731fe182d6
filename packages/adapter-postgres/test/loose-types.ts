/** What makes the server take texts of one letter case for those of the other. */
export const caseless = `create extension if not exists citext schema public;
  create collation if not exists public.caseless (provider = icu, locale = 'und-u-ks-level2', deterministic = false);`

/** Types of a key and of what points to it: a key, how it is pointed to where that is written otherwise, and another key. */
export const looseTypes = [
  ['public.citext', 'public.citext', 'Ab', 'aB', 'ac'],
  ['text collate public.caseless', 'varchar(9) collate public.caseless', 'Ab', 'aB', 'ac'],
  ['char(5)', 'varchar(9)', 'Ab', 'Ab  ', 'ac'],
  ['interval', 'interval', '1 day', '24:00', '25:00'],
  ['numrange', 'numrange', '[1,2)', '[1.0,2.0)', '[1,3)'],
  ['jsonb', 'jsonb', '{"a.b": [1, "x"]}', '{"a.b": [1.00, "x"]}', '{"a.b": ["1", "x"]}'],
  ['float8', 'real', '0.10000000149011612', '0.1', '0.5'],
  ['timestamp', 'date', '2024-02-29 00:00', '2024-02-29', '2024-02-28 00:00'],
] as const
