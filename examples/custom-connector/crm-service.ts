import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export type CrmRecord = Readonly<Record<string, unknown>>

/** The records of one kind. Each has an `id`, a positive whole number. */
export interface CrmRecords {
  records: CrmRecord[]
  /** The only member by which they can be looked up. */
  readonly lookup: string
  readonly deletes?: boolean
  /** Records of another kind that hold the `id` in this member. While there are some, a record cannot be deleted. */
  readonly heldBy?: { readonly resource: string; readonly member: string }
}

export interface CrmOptions {
  readonly apiKey: string
  readonly resources: Readonly<Record<string, CrmRecords>>
  /** Default: 20. */
  readonly pageSize?: number
  /** More are answered with 429. Default: 100. */
  readonly requestsPerSecond?: number
  /** In milliseconds. Default: the time of the system. */
  readonly clock?: () => number
}

interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly retryAfter?: number
}

const fold = (value: unknown): string => String(value).toLowerCase()
const idOf = ({ id }: CrmRecord): bigint => BigInt(String(id))

/**
 * The interface of a service as many are: records are looked up by one member, without regard to case, come in pages, and
 * are deleted by their id. `GET /customers?email=…&after=…`, `DELETE /customers/7`, `GET /ping`.
 */
export function crmService(options: CrmOptions): Server {
  const { apiKey, resources, pageSize = 20, requestsPerSecond = 100, clock = Date.now } = options
  let [second, requests] = [0, 0]

  function isTooMany(): boolean {
    const now = Math.floor(clock() / 1000)
    requests = now === second ? requests + 1 : 1
    second = now
    return requests > requestsPerSecond
  }

  function answer(method: string | undefined, { pathname, searchParams }: URL): Answer {
    const [, name = '', id] = pathname.split('/').map(decodeURIComponent)
    if (name === 'ping') return { status: 204 }
    const resource = Object.hasOwn(resources, name) ? resources[name] : undefined
    if (!resource) return { status: 404 }
    if (method === 'DELETE' && id !== undefined) return remove(resource, id)
    return method === 'GET' ? page(resource, searchParams) : { status: 405 }
  }

  function page({ records, lookup }: CrmRecords, query: URLSearchParams): Answer {
    const wanted = query.get(lookup)
    if (wanted === null) return { status: 400, body: { message: `Give ${lookup}.` } }
    // A cursor, so that nothing is passed over or comes twice when records are deleted between two pages.
    const after = query.get('after') ?? '0'
    if (!/^\d+$/.test(after)) return { status: 400, body: { message: 'after must be the id of a record.' } }
    const found = records.filter((record) => fold(record[lookup]) === fold(wanted) && idOf(record) > BigInt(after))
    const items = found.sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1)).slice(0, pageSize)
    const next = items.length < found.length ? String(items.at(-1)?.['id']) : null
    return { status: 200, body: { items, next } }
  }

  function remove(resource: CrmRecords, id: string): Answer {
    const { deletes, heldBy, records } = resource
    if (!deletes) return { status: 405 }
    if (!records.some((record) => String(record['id']) === id)) return { status: 404 }
    const held = heldBy && resources[heldBy.resource]?.records.some((record) => String(record[heldBy.member]) === id)
    if (held) return { status: 409 }
    resource.records = records.filter((record) => String(record['id']) !== id)
    return { status: 204 }
  }

  return createServer((request: IncomingMessage, response: ServerResponse) => {
    const send = ({ status, body, retryAfter }: Answer) => {
      if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? undefined : JSON.stringify(body))
    }
    if (request.headers.authorization !== `Bearer ${apiKey}`) send({ status: 401 })
    else if (isTooMany()) send({ status: 429, retryAfter: 1 })
    else send(answer(request.method, new URL(request.url ?? '/', 'http://localhost')))
  })
}
