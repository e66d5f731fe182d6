import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CallOptions,
  type Column,
  type Connection,
  castValue,
  defineConnector,
  filteredReads,
  isPrivacyError,
  type KeyGroup,
  PrivacyError,
  rowMatcher,
  type Value,
} from '@habeas/core'
import { parseJson } from '@habeas/sql'
import * as z from 'zod'

/** What the manual of the service says of one kind of record. */
export interface CrmResource {
  /** A text has the kind `string` only where records are looked up by it: the engine searches columns of that kind. */
  readonly columns: readonly (Pick<Column, 'name' | 'kind'> & { readonly nullable?: boolean })[]
  /** The only column by which records are looked up. */
  readonly lookup: string
  readonly deletes?: boolean
}

type Resources = Readonly<Record<string, CrmResource>>
type CrmRecord = Readonly<Record<string, Value>>

const failed = (reason: string, message: string, isTransient = false) =>
  new PrivacyError('connection_failed', message, { reason, ...(isTransient && { transient: true as const }) })

const unsupported = (message: string, details: { readonly feature?: string; readonly reason?: string }) =>
  new PrivacyError('unsupported', message, details)

/** A connector over the interface of a service: look-up by one member, pages, rate limits, deletion by id. */
export function crmConnector(resources: Resources) {
  return defineConnector({
    type: 'crm',
    name: 'CRM',
    category: 'saas',
    capabilities: { maxKeys: 100, nestedFields: false, maxErased: 50, transactions: false, rowLocks: false },
    secrets: z.strictObject({ url: z.url(), api_key: z.string().min(1) }),
    connect: async ({ url, api_key }) => crmConnection(resources, url.replace(/\/+$/, ''), api_key),
  })
}

function crmConnection(resources: Resources, url: string, apiKey: string): Connection {
  const closing = new AbortController()
  const resourceOf = (collection: string) => (Object.hasOwn(resources, collection) ? resources[collection] : undefined)

  async function call(method: string, path: string, { signal }: CallOptions = {}): Promise<unknown> {
    const ended = signal ? AbortSignal.any([closing.signal, signal]) : closing.signal
    for (let attempt = 1; ; attempt++) {
      ended.throwIfAborted()
      const { status, wait, body } = await request(method, path, ended)
      if (status < 300) return body
      if (status === 401) throw failed('authentication', 'The CRM refuses the api_key: make a new one.')
      if (status === 404) throw failed('missing_collection', `The CRM has no '${path.split(/[/?]/)[1]}' here.`)
      if (status === 409) throw failed('refused', 'The CRM deletes no record to which others refer: erase those first.')
      if (status !== 429 && status !== 503) throw failed('other', `The CRM answered ${status}: see its own log.`)
      // What takes more than five attempts or a minute is tried again with the whole request.
      if (attempt === 5 || wait > 60_000) throw failed('rate_limited', 'The CRM allows no more: try again later.', true)
      await sleep(wait, undefined, { signal: ended }).catch(() => {})
    }
  }

  async function request(method: string, path: string, ended: AbortSignal) {
    try {
      const signal = AbortSignal.any([ended, AbortSignal.timeout(30_000)])
      const response = await fetch(url + path, { method, headers: { authorization: `Bearer ${apiKey}` }, signal })
      const text = await response.text()
      // The header may also name a date. Then a second is waited.
      const wait = 1000 * (Number(response.headers.get('retry-after')) || 1)
      // A double would round long ids, and a rounded id names another record.
      return { status: response.status, wait, body: response.ok && text !== '' ? parseJson(text) : undefined }
    } catch (cause) {
      ended.throwIfAborted()
      // The cause may hold the path, and the path an address.
      const code = (cause as { cause?: { code?: unknown } }).cause?.code ?? (cause as Error).name
      throw failed('unreachable', `The CRM did not answer (${code}): check its url, and try again.`, true)
    }
  }

  /** The records that may meet a group, page by page. */
  async function* candidates(collection: string, anyOf: readonly KeyGroup[], options?: CallOptions) {
    const { columns, lookup } = resourceOf(collection) as CrmResource
    const kind = columns.find(({ name }) => name === 'id')?.kind
    const wanted = new Map<string, string>()
    for (const { fields, values } of anyOf) {
      const at = fields.findIndex(({ path }) => path.length === 1 && path[0] === lookup)
      const message = `The CRM looks ${collection} up by ${lookup} only: describe no references to other columns.`
      if (at === -1) throw unsupported(message, { feature: 'lookup' })
      // The CRM compares without regard to case, so one request does for all spellings.
      for (const value of values[at] ?? []) if (value !== null) wanted.set(String(value).toLowerCase(), String(value))
    }
    for (const value of wanted.values()) {
      for (let after: string | null = ''; after !== null; ) {
        const query = new URLSearchParams({ [lookup]: value, ...(after !== '' && { after }) })
        const page = await call('GET', `/${encodeURIComponent(collection)}?${query}`, options)
        const { items, next } = page as { items: readonly CrmRecord[]; next: string | null }
        // Ids may come as text.
        yield items.map(({ id = null, ...rest }) => ({ ...rest, id: castValue(id, kind)?.value ?? id }))
        after = next
      }
    }
  }

  const reads = filteredReads({ columns: (collection) => resourceOf(collection)?.columns, candidates })
  return {
    concurrency: 2,
    ...reads.methods,
    ping: async (options) => void (await call('GET', '/ping', options)),
    async describe(options) {
      await call('GET', '/ping', options)
      const collections = Object.entries(resources).map(([name, { columns, lookup }]) => ({
        name,
        // `generated`: nothing can be written, and the plan says so.
        columns: columns.map((each) => ({ type: each.kind ?? 'text', nullable: false, generated: true, ...each })),
        // The engine reads rows again by their key, so it begins with the column by which they are looked up.
        primaryKey: [lookup, 'id'],
        lookups: [lookup],
        ...{ uniqueKeys: [['id']], foreignKeys: [], indexes: [] },
      }))
      return { collections }
    },
    async erase(erase, { rollBack = false, fence } = {}) {
      const { collection, key, keys, set } = erase
      const anyOf = await reads.checked(collection, key, erase.anyOf)
      if (rollBack) throw unsupported('The CRM has no transactions to roll back.', { feature: 'transactions' })
      if (set !== 'delete' || !resourceOf(collection)?.deletes)
        throw unsupported(`The CRM cannot change ${collection}: set erase to 'delete'.`, { reason: 'unwritable' })
      if (!key.includes('id')) throw unsupported('Only its id names a record of the CRM.', { reason: 'ambiguous_rows' })
      await reads.checkOthers(erase, 'before')
      const named: KeyGroup = { fields: key.map((name) => ({ path: [name] })), values: keys, exact: true }
      const [isNamed, meets] = [rowMatcher(await reads.checked(collection, key, [named])), rowMatcher(anyOf)]
      const ids: string[] = []
      for await (const items of candidates(collection, anyOf))
        for (const item of items) if (isNamed(item) && meets(item)) ids.push(String(item['id']))
      await fence?.confirm()
      for (const id of ids)
        await call('DELETE', `/${encodeURIComponent(collection)}/${encodeURIComponent(id)}`).catch((error) => {
          // Somebody else has deleted it meanwhile.
          if (!isPrivacyError(error, 'connection_failed') || error.details.reason !== 'missing_collection') throw error
        })
      await reads.checkOthers(erase, 'after')
    },
    close: async () => closing.abort(failed('closed', 'The connection to the CRM was closed.')),
  }
}
