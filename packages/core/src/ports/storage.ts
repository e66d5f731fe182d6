import type { RowKind, Rows, Searchable } from './rows.js'

/** Conditions on one field, all of which must hold. Text compares by code point. */
export interface FieldCondition<Field> {
  readonly equals?: Field
  readonly in?: readonly Field[]
  readonly lt?: Field
  readonly lte?: Field
  readonly gt?: Field
  readonly gte?: Field
  /** On text only. */
  readonly startsWith?: string
  /** On text only. */
  readonly contains?: string
  /** Null and absent are the same. */
  readonly isNull?: boolean
}

/** A conjunction over the searchable fields of a row kind. There is no OR. */
export type Where<Kind extends RowKind> = {
  readonly [Field in Searchable<Kind>]?: FieldCondition<NonNullable<Rows[Kind][Field]>>
}

export interface Query<Kind extends RowKind> {
  readonly where?: Where<Kind>
  /** Nulls come last; ties are broken by `id`. Default: by `id`. */
  readonly orderBy?: readonly { readonly field: Searchable<Kind>; readonly direction?: 'asc' | 'desc' }[]
  readonly limit?: number
  readonly offset?: number
}

/**
 * Rows of one kind. Rows go in and come out as copies: changing one MUST NOT change what is stored. They are JSON,
 * whose members MAY come back in another order. Text that is not well-formed Unicode, or holds null characters, MUST be
 * stored as it is or refused with `invalid_input`; so must a search for it. Core stores no such text.
 */
export interface Table<Kind extends RowKind> {
  get(id: string): Promise<Rows[Kind] | undefined>
  find(query?: Query<Kind>): Promise<readonly Rows[Kind][]>
  count(where?: Where<Kind>): Promise<number>
  /** MUST reject with `conflict` when the id is taken, leaving the stored row as it is. */
  insert(row: Rows[Kind]): Promise<void>
  /** MUST insert all or none. */
  insertMany(rows: readonly Rows[Kind][]): Promise<void>
  /** MUST write only if the stored version is `row.version - 1`, atomically. Returns whether it did. */
  replace(row: Rows[Kind]): Promise<boolean>
  /** Deletes and returns the row. MUST hand it to exactly one caller. */
  take(id: string): Promise<Rows[Kind] | undefined>
}

/** One of several writes that take effect together. */
export type Write =
  | {
      readonly [Kind in RowKind]: { readonly kind: Kind } & (
        | { readonly replace: Rows[Kind] }
        | { readonly insert: readonly Rows[Kind][] }
        /** Inserts the rows whose id is free. */
        | { readonly add: readonly Rows[Kind][] }
        /** Inserts the rows, or replaces what is stored under their ids, counting its version on. */
        | { readonly put: readonly Rows[Kind][] }
      )
    }[RowKind]
  /** Deletes the rows with these ids. */
  | { readonly kind: RowKind; readonly take: readonly string[] }

/** One of several queries that are asked together. */
export type KindQuery = { readonly [Kind in RowKind]: Query<Kind> & { readonly kind: Kind } }[RowKind]

/** Where rows live. Adapters store, core decides: a new row kind MUST NOT need a change in an adapter. */
export interface Storage {
  /** MUST be false when the rows end with the process. */
  readonly outlivesProcess?: boolean
  table<Kind extends RowKind>(kind: Kind): Table<Kind>
  /**
   * MUST apply all of `work`'s writes or, when it rejects, none. `work` sees its own writes. When transactions wait for
   * each other, one of them MUST be undone and its work run again. `work` must therefore have no effect besides its writes.
   * Inside another transaction, only the inner writes are undone. Once `work` has ended, the transaction that it was given
   * MUST refuse further calls.
   */
  transaction<Result>(work: (storage: Storage) => Promise<Result>): Promise<Result>
  /**
   * MAY be absent: core then uses `transaction`. It is for storages that need fewer round trips for writes that are all known
   * from the start. MUST apply all of them or none. At most one of them is a `replace`, and no two are about the same row.
   * Resolves to false when the `replace` finds another version. MUST reject with `conflict`, naming the kind, when an id to
   * insert is taken.
   */
  writeAll?(writes: readonly Write[]): Promise<boolean>
  /**
   * MAY be absent: core then calls `find` for each query. It is for storages that need one round trip for several. Returns the
   * rows of each query, in the order of the queries.
   */
  findAll?(queries: readonly KindQuery[]): Promise<readonly (readonly Rows[RowKind][])[]>
  /**
   * MAY be absent: the service then goes by the clock of its process. The time of the server, by which all processes on it go.
   */
  now?(): Promise<Date>
  /** Closes what this adapter opened itself, but nothing that the host passed in. MAY be called twice. */
  close(): Promise<void>
}
