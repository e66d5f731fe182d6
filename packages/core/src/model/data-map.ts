import * as z from 'zod'
import { parseInput } from './parse-input.js'

/** A cell of a table: a text, a list of texts, a fact, or null where nobody has declared it. */
export type MapCell = string | readonly string[] | boolean | null

/** A row, by the keys of its columns. */
export interface MapRow {
  readonly [column: string]: MapCell
}

/**
 * `map`: a row for each system, declaration and dataset that it refers to. `controller`, `processor`: the record of
 * processing activities of article 30(1) and 30(2) of the GDPR, with a row for each declaration.
 */
export const dataMapViews = ['map', 'controller', 'processor'] as const
export type DataMapView = (typeof dataMapViews)[number]

export const dataMapFormats = ['json', 'csv', 'xlsx'] as const
export type DataMapFormat = (typeof dataMapFormats)[number]

/** A table for people, and what is missing in it. */
export interface DataMap {
  readonly view: DataMapView
  readonly columns: readonly { readonly key: string; readonly heading: string }[]
  readonly rows: readonly MapRow[]
  /** What a record has to say and nobody has declared. Always empty for `map`. */
  readonly blanks: readonly MapBlank[]
}

/** A cell that a record of processing activities has to fill, and nobody has declared. */
export interface MapBlank {
  readonly system: string
  /**
   * The name of the declaration, or its position as `privacy_declarations[0]` where no name tells it apart. Absent where the
   * system has none.
   */
  readonly declaration?: string
  readonly column: string
  /** Which member of which document to set. */
  readonly message: string
}

/** A table as a file. The same documents give the same bytes. */
export interface DataMapFile {
  readonly name: string
  readonly contentType: string
  readonly bytes: Uint8Array
}

const optionsSchema = z.strictObject({
  view: z.enum(dataMapViews).default('map'),
  organization: z.string().exactOptional(),
})
const exportSchema = optionsSchema.extend({ format: z.enum(dataMapFormats).default('json') })

export interface DataMapOptions {
  /** Default: `map`. */
  readonly view?: DataMapView | undefined
  /** The key of an organization. Default: the systems of all. */
  readonly organization?: string | undefined
}

export interface DataMapExportOptions extends DataMapOptions {
  /** Default: `json`. */
  readonly format?: DataMapFormat | undefined
}

export const parseDataMapOptions = (input: unknown) =>
  parseInput('choice of a data map', optionsSchema, input, { readOnly: [] }).value

export const parseDataMapExport = (input: unknown) =>
  parseInput('choice of a data map', exportSchema, input, { readOnly: [] }).value
