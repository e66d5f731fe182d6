import { breather } from '../../async/breather.js'
import { type Issue, isPrivacyError, PrivacyError } from '../../errors.js'
import type { Warning } from '../../model/clean-input.js'
import { keySchema } from '../../model/key.js'
import type { LegacyReading } from '../../model/legacy-names.js'
import { invalidInput, type Parsed } from '../../model/parse-input.js'
import type { ResourceRow } from '../../ports/rows.js'
import type { Storage } from '../../ports/storage.js'
import type { Finding } from '../../rules/findings/finding.js'
import type { ActionContext } from '../action-context.js'
import { keyNotFound } from '../key-not-found.js'
import {
  type ListOptions,
  listIssues,
  type Page,
  readPage,
  refuseIssues,
  searchCondition,
  searchTextOf,
} from '../paging.js'
import { tookEffect, untilWritten } from '../until-written.js'
import { type Referrer, refuseReferrers } from './find-referrers.js'
import { keyIn, withKey, withoutEmptyKey } from './key-in.js'
import { mergePatch } from './merge-patch.js'

/**
 * A resource as it is stored. It may be changed and handed back; the members that only the service sets are then
 * ignored.
 */
export type Stored<Document> = Document & { readonly created_at: string; readonly updated_at: string }

/** The answer of every write: the resource, what a person should know about it, and the unread parts of the input. */
export type Written<Document, Noticed extends Notices = Notices> = Stored<Document> &
  Noticed & { readonly warnings: readonly Warning[] }

/** What a person should know about the written resource. */
export interface Notices {
  readonly findings: readonly Finding[]
}

/** The members that all resources of the data model share. */
export interface AnyDocument {
  service_key: string
  name: string
  description?: string
}

interface ResourceQuery {
  readonly where?: ResourceWhere
  readonly limit?: number
  readonly offset?: number
}

interface ResourceWhere {
  readonly id?: { readonly in?: readonly string[] }
  readonly searchText?: { readonly contains?: string }
  readonly connectionKey?: { readonly equals?: string }
}

/** The tables of all resources, seen as one kind. */
export interface ResourceTable<Row> {
  get(id: string): Promise<Row | undefined>
  find(query?: ResourceQuery): Promise<readonly Row[]>
  count(where?: ResourceWhere): Promise<number>
  insert(row: Row): Promise<void>
  insertMany(rows: readonly Row[]): Promise<void>
  replace(row: Row): Promise<boolean>
  take(id: string): Promise<Row | undefined>
}

/** The differences between one kind of resource and the others. */
export interface ResourceDefinition<
  Document extends AnyDocument,
  Row extends ResourceRow<Document>,
  Extra,
  Noticed extends Notices = Notices,
> {
  /** For people: `data category`. */
  readonly what: string
  table(storage: Storage): ResourceTable<Row>
  /** Updates legacy names of the input, before a patch is merged. */
  rename(input: unknown): LegacyReading
  read(input: unknown): Parsed<Document> | Promise<Parsed<Document>>
  /** First values of the row's members beyond those of every resource. */
  readonly blank: Omit<Row, keyof ResourceRow<Document>>
  /** Read-only members of the answer that the document lacks. */
  extra(row: Row): Extra
  /** Exist from the start and cannot be deleted. */
  readonly defaults?: readonly Document[]
  /** The document as it is stored; may refuse it. */
  complete?(document: Document): Document | Promise<Document>
  /** Findings about each of the rows that were just written. */
  notices(rows: readonly Row[]): Promise<readonly Noticed[]>
  referrers(key: string): Promise<readonly Referrer[]>
  /** Removes rows that belong to it, in the transaction that deletes it. */
  removed?(within: Storage, key: string): Promise<void>
}

/** What a write stored, before its answer. */
export interface StoredWrite<Row> {
  readonly row: Row
  readonly warnings: readonly Warning[]
}

export type WriteMode = 'create' | 'put' | 'replace' | 'patch'

/** The differences between a write and the usual one. */
export interface WriteOptions<Row> {
  /** The row as it is stored; may refuse it. */
  adjust?(row: Row): Row
  /** Runs the write, which says whether it took effect, in a transaction with others. */
  around?(write: (storage: Storage) => Promise<boolean>): Promise<boolean>
}

/** Reads, writes and lists of one kind of resource. Every change is a compare-and-set. */
export function resources<
  Document extends AnyDocument,
  Row extends ResourceRow<Document>,
  Extra extends object,
  Noticed extends Notices = Notices,
>(context: ActionContext, definition: ResourceDefinition<Document, Row, Extra, Noticed>) {
  const { what } = definition
  const table = definition.table(context.storage)
  const defaults = new Map(definition.defaults?.map((document) => [document.service_key, document]))
  type Shown = Document & Extra

  const show = (row: Row): Stored<Shown> => ({
    ...structuredClone(row.document),
    ...definition.extra(row),
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  })

  function rowOf(document: Document, stored?: Row): Row {
    const now = context.runtime.now().toISOString()
    const row: ResourceRow<Document> = {
      ...(stored ?? definition.blank),
      id: document.service_key,
      version: (stored?.version ?? 0) + 1,
      document,
      searchText: searchTextOf(document.service_key, document.name, document.description),
      createdAt: stored?.createdAt ?? now,
      updatedAt: now,
    }
    return row as Row
  }

  let seeding: Promise<void> | undefined
  /** Stores missing defaults, once per process, also when other processes do the same. */
  function seeded(): Promise<void> {
    seeding ??= seed().catch((error) => {
      seeding = undefined
      throw error
    })
    return seeding
  }
  async function seed(): Promise<void> {
    if (defaults.size === 0) return
    await untilWritten(what, undefined, async () => {
      const present = new Set((await table.find({ where: { id: { in: [...defaults.keys()] } } })).map(({ id }) => id))
      const missing = [...defaults.values()].filter((document) => !present.has(document.service_key))
      if (missing.length === 0) return true
      return (await tookEffect(() => table.insertMany(missing.map((document) => rowOf(document))))) || undefined
    })
  }

  async function find(key: string): Promise<Row | undefined> {
    await seeded()
    return keySchema.safeParse(key).success ? table.get(key) : undefined
  }

  const notFound = async (key: string) =>
    keyNotFound(
      what,
      key,
      (await table.find()).map(({ id }) => id),
    )
  async function need(key: string): Promise<Row> {
    const row = await find(key)
    if (!row) throw await notFound(key)
    return row
  }

  async function read(input: unknown, locate: LegacyReading['locate']): Promise<Parsed<Document>> {
    try {
      const { value, warnings } = await definition.read(input)
      return { value: definition.complete ? await definition.complete(value) : value, warnings }
    } catch (error) {
      if (!isPrivacyError(error, 'invalid_input')) throw error
      const issues = error.details.issues.map((issue: Issue) => ({ ...issue, loc: locate(issue.loc) }))
      throw invalidInput(what, issues)
    }
  }

  /** What a write would store, without storing it. */
  async function draft(
    mode: WriteMode,
    input: unknown,
  ): Promise<{ row: Row; stored?: Row; warnings: readonly Warning[] }> {
    const { input: renamed, warnings, locate } = definition.rename(input)
    const named = keyIn(renamed)
    const before = named === undefined ? undefined : await find(named)
    const merged = mode === 'patch' && before ? mergePatch(before.document, withoutEmptyKey(renamed, named)) : renamed
    const parsed = await read(merged, locate)
    const key = parsed.value.service_key
    const stored = key === named ? before : await find(key)
    const row = rowOf(parsed.value, stored)
    return { row, ...(stored && { stored }), warnings: [...warnings, ...parsed.warnings] }
  }

  async function store(
    mode: WriteMode,
    input: unknown,
    { adjust = (row) => row, around = (write) => write(context.storage) }: WriteOptions<Row> = {},
  ): Promise<StoredWrite<Row>> {
    await seeded()
    return untilWritten(what, keyIn(input), async () => {
      const { row: drafted, stored, warnings } = await draft(mode, input)
      if (mode === 'create' && stored) {
        const message = `A ${what} with the key '${stored.id}' exists already: change it, or choose another key.`
        throw new PrivacyError('conflict', message, { kind: what, id: stored.id })
      }
      if (mode === 'replace' && !stored) throw await notFound(drafted.id)
      const row = adjust(drafted)
      const write = async (storage: Storage) => {
        if (stored) return definition.table(storage).replace(row)
        await definition.table(storage).insert(row)
        return true
      }
      return (await tookEffect(() => around(write))) ? { row, warnings } : undefined
    })
  }

  /** The answers of writes. Findings are looked for once for all, when each may refer to another. */
  async function answers(written: readonly StoredWrite<Row>[]): Promise<readonly Written<Shown, Noticed>[]> {
    const noticed = await definition.notices(written.map(({ row }) => row))
    const breathe = breather()
    const answered: Written<Shown, Noticed>[] = []
    for (const [at, { row, warnings }] of written.entries()) {
      answered.push({ ...show(row), ...(noticed[at] as Noticed), warnings })
      await breathe()
    }
    return answered
  }

  async function write(
    mode: WriteMode,
    input: unknown,
    options: WriteOptions<Row> = {},
  ): Promise<Written<Shown, Noticed>> {
    const [answer] = await answers([await store(mode, input, options)])
    return answer as Written<Shown, Noticed>
  }

  async function list(where: ResourceWhere, options: ListOptions = {}): Promise<Page<Stored<Shown>>> {
    refuseIssues(listIssues(options))
    await seeded()
    return readPage<Row, ResourceWhere, Stored<Shown>>(
      table,
      { ...where, ...searchCondition(options.search) },
      options,
      show,
    )
  }

  return {
    write,
    store,
    answers,
    draft,
    show,
    find,
    need,
    create: (input: unknown) => write('create', input),
    put: (input: unknown) => write('put', input),
    async replace(key: string, input: unknown): Promise<Written<Shown, Noticed>> {
      // An invalid key names nothing. That is not an error of the input.
      if (!keySchema.safeParse(key).success) throw await notFound(key)
      return write('replace', withKey(what, key, input))
    },
    patch: (input: unknown) => write('patch', input),
    get: async (key: string): Promise<Stored<Shown>> => show(await need(key)),
    list: (options?: ListOptions) => list({}, options),
    /** The same for the datasets behind one connection. */
    listLinked: (connectionKey: string, options?: ListOptions) =>
      list({ connectionKey: { equals: connectionKey } }, options),
    async remove(key: string): Promise<void> {
      await need(key)
      if (defaults.has(key)) {
        const message = `The ${what} '${key}' exists from the start and cannot be deleted.`
        throw new PrivacyError('conflict', message, { kind: what, id: key })
      }
      refuseReferrers(what, key, await definition.referrers(key))
      await context.storage.transaction(async (within) => {
        if (!(await definition.table(within).take(key))) throw keyNotFound(what, key, [])
        await definition.removed?.(within, key)
      })
    },
  }
}
