import type { Issue, Page, PrivacyService, Stored, UsedScope, Written } from '@habeas/core'
import { asSent, withBody } from '../body-input.js'
import { type Endpoint, type EndpointCall, endpoint } from '../endpoint.js'
import { oneOrMany } from '../one-or-many.js'
import { type ParameterValues, searchAndPaging } from '../parameters.js'
import { type Bulk, eitherOf, listOf, oneOrBulk, pageOf, type Schema } from '../schema.js'
import type { DocumentWire } from '../wire/document-wire.js'

interface ResourceActions<Document> {
  create(input: unknown): Promise<Written<Document>>
  replace(key: string, input: unknown): Promise<Written<Document>>
  patch(input: unknown): Promise<Written<Document>>
  get(key: string): Promise<Stored<Document>>
  list(query: ParameterValues<typeof searchAndPaging>): Promise<Page<Stored<Document>>>
  remove(key: string): Promise<void>
}

export interface ResourceOptions<Document, Lists extends boolean> {
  /** For people: `data category`. */
  readonly what: string
  readonly actions: (privacy: PrivacyService) => ResourceActions<Document>
  readonly wire: DocumentWire<Document>
  readonly scopes: Readonly<Record<'create' | 'read' | 'update' | 'delete', UsedScope>>
  /** Whether a list may be sent instead of a single document. */
  readonly lists: Lists
}

type Sent = Record<string, unknown>
type Query = typeof searchAndPaging

/** The six endpoints every kind of document of the data model has. */
export type ResourceEndpoints<Type extends string, Document, Lists extends boolean> = {
  [Key in `GET /api/v1/${Type}`]: Endpoint<Query, undefined, Page<Stored<Document>>>
} & {
  [Key in `POST /api/v1/${Type}` | `PATCH /api/v1/${Type}`]: Endpoint<
    Record<never, never>,
    Lists extends true ? Sent | Sent[] : Sent,
    Lists extends true ? Written<Document> | Bulk<Written<Document>> : Written<Document>
  >
} & {
  [Key in `GET /api/v1/${Type}/{service_key}`]: Endpoint<Record<never, never>, undefined, Stored<Document>>
} & {
  [Key in `PUT /api/v1/${Type}/{service_key}`]: Endpoint<Record<never, never>, Sent, Written<Document>>
} & {
  [Key in `DELETE /api/v1/${Type}/{service_key}`]: Endpoint<Record<never, never>, undefined, void>
}

export function resourceEndpoints<const Type extends string, Document, const Lists extends boolean>(
  type: Type,
  { what, actions, wire, scopes, lists }: ResourceOptions<Document, Lists>,
): ResourceEndpoints<Type, Document, Lists> {
  const oneOrList = (one: Schema<Sent>) => (lists ? eitherOf(one, listOf(one)) : one) as Schema<Sent | Sent[]>
  const written = lists ? oneOrBulk(wire.written) : wire.written
  const size = type === 'dataset' ? ({ size: 'document' } as const) : {}
  const write = ({ body, report }: EndpointCall, act: (input: unknown) => Promise<Written<Document>>) => {
    const one = (item: unknown, loc?: Issue['loc']) => withBody(what, asSent(item), act, loc)
    return lists ? oneOrMany(body, one, { echo: (item) => item, report }) : one(body)
  }

  const table = {
    [`GET /api/v1/${type}`]: endpoint({
      summary: `List every ${what}`,
      access: [scopes.read],
      query: searchAndPaging,
      result: pageOf(wire.stored),
      action: ({ privacy, query }) => actions(privacy).list(query),
    }),
    [`POST /api/v1/${type}`]: endpoint({
      summary: `Create a ${what}`,
      access: [scopes.create],
      body: { schema: oneOrList(wire.sent), ...size },
      status: 201,
      result: written as Schema<Written<Document> | Bulk<Written<Document>>>,
      action: (call) => write(call, actions(call.privacy).create),
    }),
    [`PATCH /api/v1/${type}`]: endpoint({
      summary: `Create or change a ${what}`,
      access: scopes.create === scopes.update ? [scopes.update] : [scopes.create, scopes.update],
      body: { schema: oneOrList(wire.patch), ...size },
      result: written as Schema<Written<Document> | Bulk<Written<Document>>>,
      action: (call) => write(call, actions(call.privacy).patch),
    }),
    [`GET /api/v1/${type}/{service_key}`]: endpoint({
      summary: `Read a ${what}`,
      access: [scopes.read],
      result: wire.stored,
      action: ({ privacy, path }) => actions(privacy).get(path.service_key),
    }),
    [`PUT /api/v1/${type}/{service_key}`]: endpoint({
      summary: `Replace a ${what}`,
      access: [scopes.update],
      body: { schema: wire.sent, ...size, what },
      result: wire.written,
      action: ({ privacy, path, input }) => actions(privacy).replace(path.service_key, input),
    }),
    [`DELETE /api/v1/${type}/{service_key}`]: endpoint({
      summary: `Delete a ${what}`,
      access: [scopes.delete],
      action: ({ privacy, path }) => actions(privacy).remove(path.service_key),
    }),
  }
  return table as unknown as ResourceEndpoints<Type, Document, Lists>
}
