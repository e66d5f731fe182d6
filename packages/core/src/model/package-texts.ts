import * as z from 'zod'
import { languageSchema } from './mail-texts.js'

/** The plural forms of a text that contains a count. A language uses some of them, and always `other`. */
const pluralForms = ['zero', 'one', 'two', 'few', 'many', 'other'] as const
export type PluralForm = (typeof pluralForms)[number]

export type CountingText = { readonly [Form in PluralForm]?: string } & { readonly other: string }

/**
 * The default texts of HTML packages. `{name}` stands for a value. `{#name}…{/name}` is left out when there is no
 * value. A host's own text may hold the same placeholders.
 */
export const englishPackageTexts = {
  your_data: 'Your data',
  your_data_at: 'Your data at {organization}',
  skip: 'Skip to the content',
  where_you_are: 'Where you are',
  keep_safe: 'This file holds personal data and was made for one person alone. Keep it where only you can open it.',

  records: { one: '{count} record', other: '{count} records' },
  collections: { one: '{count} collection', other: '{count} collections' },
  fields: { one: '{count} field', other: '{count} fields' },
  parts_by_hand: {
    one: '{count} part that people put together by hand',
    other: '{count} parts that people put together by hand',
  },
  found: 'This is what was found about you: {records} in {collections}{#parts}, and {parts}{/parts}.',
  found_by_hand: 'This is what was found about you: {parts}.',
  found_nothing: 'No data about you was found.',
  found_nothing_searched: 'No data about you was found in what was searched.',
  nothing_searched: 'No place was searched, so no data about you was found.',
  places_not_searched: {
    one: '{count} place was not searched, listed below.',
    other: '{count} places were not searched, listed below.',
  },
  incomplete_undecided:
    'This may not be all: some records were left out because nobody has decided yet whether they are yours.',
  incomplete_hidden: 'This may not be all: a database may have hidden records from the search.',
  incomplete_filtered: 'This may not be all: some places were searched for a range of records only.',
  incomplete_unconfirmed:
    'This may not be all: there was no search by {properties} alone, because no record confirmed that it is yours.',
  prepared_on: 'Prepared on',
  request: 'Request',
  held_by: 'Held by {system}{#use} for {use}{/use}{#detail} ({detail}){/detail}',

  by_hand: 'Put together by hand',
  by_hand_meaning: 'These places were searched by people, who wrote down what they found.',
  nothing_found: 'nothing found',
  searched: 'Searched',
  searched_meaning: 'No record in these places is known to be yours.',
  searched_table: 'Places that were searched',
  not_searched: 'Not searched',
  not_searched_meaning: 'There may be data about you here that this file does not show.',
  not_searched_table: 'Places that were not searched, and why',
  place: 'Place',
  why: 'Why',
  reason_no_connection: 'This place is not connected to the search.',
  reason_disabled: 'The connection to this place is switched off.',
  reason_skip_processing: 'This place is marked as one not to be searched.',
  reason_members_not_searchable: 'What would identify your records there cannot be searched for.',
  reason_identity_not_provided:
    'It can only be searched with information that the request did not give{#detail} ({detail}){/detail}.',
  reason_identity_not_proven: 'It can only be searched with information that was not proven to be yours.',
  reason_identity_not_confirmed:
    'It can only be searched with information that no record confirmed to be yours{#detail} ({detail}){/detail}.',
  reason_behind: 'It can only be reached through a place that was not searched{#detail} ({detail}){/detail}.',
  reason_unreachable: 'Nothing that was found leads there.',
  reason_other_spellings:
    'It was searched only for the exact spelling that was given, not for other spellings{#detail} ({detail}){/detail}.',
  left_out: 'Left out',
  left_out_meaning: 'Nobody has decided yet whether these records are yours, so this file does not show them.',
  left_out_table: 'Records that were left out, and what connects them with you',
  how_many: 'How many',
  connected_by: 'Connected with you by',
  not_counted: 'not counted',
  not_described_here: 'Not described',
  not_described_meaning:
    'Nobody has described yet what these parts of the databases hold, so this file may not show all of it.',
  not_described_table: 'Parts of the databases that nobody has described, and why they are listed',
  gap_columns: 'Nobody has described what this field holds.',
  gap_tables: 'This table refers to records of people, and was not searched.',
  gap_references: 'This field may lead to more records about you, and was not followed.',
  gap_histories: 'By its name, this table is the history of one that was searched. It was not searched itself.',
  gap_hidden: 'The database may have hidden records of this place from the search.',
  gap_filtered: 'Only a range of the records of this place was searched, such as those of some years.',
  gap_unmasked: 'Nobody has described what kind of data this field holds.',
  gap_collections: 'Nobody has described what the records of this place hold.',
  how_to_read: 'How to read this',
  how_to_read_names:
    'Each name above leads to the records of one collection, with what its fields mean where that is known. A record is shown as it is stored; only dates, times, yes and no are written out.',
  how_to_unpack:
    'If a name leads nowhere, the archive has not been unpacked yet: unpack all of it and open {file} in the folder you get. Nothing here needs a connection to the internet.',

  collection_title: '{collection} in {dataset}{#page}, page {page} of {pages}{/page} – Your data',
  collection_lead: '{records} from {dataset}{#page}, page {page} of {pages}{/page}.',
  records_title: 'Records',
  records_range: 'Records {from} to {to} of {count}',
  record: 'Record {number}',
  fields_title: 'What the fields mean',
  fields_table: 'Fields, what they mean and the kind of data in them',
  field: 'Field',
  meaning: 'Meaning',
  kind_of_data: 'Kind of data',
  not_described: 'not described',
  pages: 'Pages',
  pages_again: 'Pages, again',
  previous: 'Previous',
  next: 'Next',

  upload_title: '{name} – Your data',
  upload_nothing: 'This place was searched by hand, and nothing about you was found.',
  upload_lead: { one: '{count} field put together by hand.', other: '{count} fields put together by hand.' },

  yes: 'yes',
  no: 'no',
  no_value: 'no value',
  empty_text: 'empty text',
  blank_text: 'blank text',
  empty_list: 'empty list',
  nothing: 'nothing',
} as const satisfies Readonly<Record<string, string | CountingText>>

export type PackageTextKey = keyof typeof englishPackageTexts
export const packageTextKeys = Object.keys(englishPackageTexts) as readonly PackageTextKey[]

/** The keys of texts that contain a count. */
export type CountingKey = {
  [Key in PackageTextKey]: (typeof englishPackageTexts)[Key] extends string ? never : Key
}[PackageTextKey]

const textSchema = z.string().trim().min(1)
const countingSchema = z.strictObject({
  ...(Object.fromEntries(pluralForms.map((form) => [form, textSchema.exactOptional()])) as Record<
    PluralForm,
    z.ZodExactOptional<typeof textSchema>
  >),
  other: textSchema,
})

const shape = Object.fromEntries(
  packageTextKeys.map((key) => {
    const schema = typeof englishPackageTexts[key] === 'string' ? textSchema : z.union([textSchema, countingSchema])
    return [key, schema.exactOptional()]
  }),
) as {
  [Key in PackageTextKey]: z.ZodExactOptional<
    Key extends CountingKey ? z.ZodUnion<[typeof textSchema, typeof countingSchema]> : typeof textSchema
  >
}

/** The host's own texts of HTML packages, by language and key. Compiling the texts checks their placeholders. */
export const packageTextsSchema = z.record(languageSchema, z.strictObject(shape))

export type PackageTexts = z.output<typeof packageTextsSchema>
