import type { Bulk, Endpoint, EndpointTable, ParameterValues } from '@habeas/http'

/** A verb and a path of the interface, as the OpenAPI document has them. */
export type EndpointKey = keyof EndpointTable

/** Endpoints that answer to GET, whose answers may be read as a stream. */
export type ReadKey = Extract<EndpointKey, `GET ${string}`>

interface CallSignal {
  /** Ends the call, its waits included; the promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

type NamesIn<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

type PathOption<Key> = [NamesIn<Key>] extends [never]
  ? unknown
  : { readonly path: { readonly [Name in NamesIn<Key>]: string } }

type QueryOption<Key extends EndpointKey> =
  EndpointTable[Key] extends Endpoint<infer Query, infer _Body, infer _Result>
    ? [keyof Query] extends [never]
      ? unknown
      : { readonly query?: ParameterValues<Query> | undefined }
    : never

type BodyOf<Key extends EndpointKey> =
  EndpointTable[Key] extends Endpoint<infer _Query, infer Body, infer _Result> ? Body : never

type ResultOf<Key extends EndpointKey> =
  EndpointTable[Key] extends Endpoint<infer _Query, infer _Body, infer Result> ? Result : never

type BodyOption<Body> = [Body] extends [undefined]
  ? unknown
  : undefined extends Body
    ? { readonly body?: Body }
    : { readonly body: Body }

type List = readonly unknown[]

/** The options of a call: parameters of the path and of the query, and a body, each where the endpoint has them. */
export type CallOptions<Key extends EndpointKey> = CallSignal &
  PathOption<Key> &
  QueryOption<Key> &
  BodyOption<Exclude<BodyOf<Key>, List>>

/** As `CallOptions`, with a list as the body. */
export type ListCallOptions<Key extends EndpointKey> = CallSignal &
  PathOption<Key> &
  QueryOption<Key> & { readonly body: Extract<BodyOf<Key>, List> }

/** `Part`, or all of `Result` where `Part` is empty. */
type OrAll<Result, Part> = [Part] extends [never] ? Result : Part

/** What an endpoint answers: nothing where that is 204. */
export type CallResult<Key extends EndpointKey> = OrAll<ResultOf<Key>, Exclude<ResultOf<Key>, Bulk<unknown>>>

/** What an endpoint answers to a list: one entry for each item where it takes items. */
export type ListCallResult<Key extends EndpointKey> = OrAll<ResultOf<Key>, Extract<ResultOf<Key>, Bulk<unknown>>>

/** Options may be left out where nothing in them is required. */
export type Given<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options]
