import type { Erase } from '@habeas/core'
import { afterEach, beforeEach, describe } from 'vitest'
import { having, openDatabase, type TestDatabase } from './database.js'

/** One column of every type that is compared or written in a way of its own. */
const setUp = `
create extension if not exists citext with schema public;
create collation if not exists public.without_accents (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
create type mood as enum ('fine', 'sad');
create domain short_text as varchar(12) check (value <> 'forbidden');
create table person (
  id integer primary key, owner integer, label text,
  alias public.citext, title text collate public.without_accents, code char(6), mood mood, host inet, price money,
  ratio real, amount numeric, born date, seen timestamptz, noted timestamp, span interval, shorter short_text,
  tags text[], aliases public.citext[], codes char(3)[], moods mood[], grid integer[], documents jsonb[],
  profile jsonb, text_profile json, photo bytea, flag bit(3)
);
insert into person values
  (1, 1, 'a', 'Jane', 'Rene', 'ab', 'fine', '10.0.0.1', '12.50', 0.1, 'NaN', 'infinity', '0044-03-15 12:00:00+00 BC', '2024-01-31 12:00:00.000001',
   '1 day 2 hours', 'short', '{x,NULL,"y,z"}', '{A,b}', '{a,bc}', '{fine,sad}', '{{1,2},{3,4}}', '{"{\\"k\\": \\"v\\"}"}',
   '{"big": 9007199254740993, "list": [9007199254740993, "x", 1.50], "name": "Jane"}', '{"b" : 1,  "a":"x","a":"y"}', '\\x00ff', '101'),
  (2, 1, 'a', 'jane', 'René', 'ab c', 'sad', '10.0.0.1/8', '12.51', 0.2, 'Infinity', '-infinity', 'infinity', null,
   null, null, '{x,NULL,"y,z"}', '{a,b}', null, null, '{1,2,3,4}', null,
   '"scalar"', '[1,2]', null, '100'),
  (3, 1, 'a', 'jané', 'Réné', 'AB', 'fine', '::1', '-0.01', 'NaN', '0.10', '2024-02-29', '2024-01-31 12:00:00+00', null,
   null, 'x', '{}', '{}', '{}', '{}', '{}', '{}', '{"a": {"b": [1]}}', null, '\\x', null);`

/** Three people in a schema of their own, and short ways to erase and to look at them. */
export interface ErasedPeople {
  readonly database: TestDatabase
  /** Marks the people with these changes to the batch. */
  run(change?: Partial<Erase>): Promise<void>
  batch(change?: Partial<Erase>): Erase
  /** What the expression gives for each person, in the order of their ids. */
  values(expression: string): Promise<unknown[]>
  /** Ids of those who have been marked. */
  touched(): Promise<unknown[]>
}

/** Declares tests that each find the people as they were. */
export function describePeople(title: string, url: () => string, declare: (people: ErasedPeople) => void): void {
  describe(title, () => {
    let database: TestDatabase
    beforeEach(async () => {
      database = await openDatabase(url(), setUp)
    })
    afterEach(() => database?.close())

    const batch = (change: Partial<Erase> = {}): Erase => ({
      collection: 'person',
      key: ['id'],
      keys: [[1, 2, 3]],
      anyOf: [having('owner', 1)],
      set: [{ column: 'label', to: 'touched' }],
      ...change,
    })
    const selected = async (what: string) => (await database.client.query({ text: what, rowMode: 'array' })).rows.flat()
    declare({
      get database() {
        return database
      },
      batch,
      run: (change) => database.connection.erase!(batch(change)),
      values: (expression) => selected(`select ${expression} from person order by id`),
      touched: () => selected(`select id from person where label = 'touched' order by id`),
    })
  })
}
