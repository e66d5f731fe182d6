import type { PrivacyService, UsedScope } from '@habeas/core'
import type { WireNames } from './body-input.js'
import type { EndpointCaller } from './endpoint-caller.js'
import type { HttpAnswer, HttpCall } from './http-call.js'
import type { Parameters, ParameterValues } from './parameters.js'
import type { BodyLimits, MediaType } from './read-json.js'
import type { Schema } from './schema.js'

/** Who may call: everyone, a client whose secret the action checks, or callers with all of these scopes. */
export type Access = 'open' | 'client credentials' | readonly UsedScope[] | ScopesOrElse

/** Callers with all of these scopes, or calls with something else instead, which have no `caller`. */
export interface ScopesOrElse {
  readonly scopes: readonly UsedScope[]
  /**
   * `open intake`: the interface takes requests of everyone. `link token`: `token` in the query. `reply token`: what came
   * with the call of a webhook. The action checks these tokens.
   */
  readonly orElse: 'open intake' | 'link token' | 'reply token'
}

/** The scopes that a caller needs, where one is asked for. */
export function scopesOf(access: Access): readonly UsedScope[] | undefined {
  if (typeof access === 'string') return undefined
  return 'orElse' in access ? access.scopes : access
}

/** What stands in the paths of the table. */
export type PathParameter =
  | 'client_id'
  | 'connection_key'
  | 'connection_type'
  | 'dataset_key'
  | 'evaluation_id'
  | 'file'
  | 'legal_hold_id'
  | 'manual_webhook_key'
  | 'policy_key'
  | 'privacy_request_id'
  | 'service_key'
  | 'webhook_key'

/** Endpoints by verb and path, such as `GET /api/v1/connection/{connection_key}`. */
export type Endpoints = Readonly<Record<string, Endpoint>>

/** A call that has passed every check before its action. */
export interface EndpointCall<Query = unknown> {
  readonly privacy: PrivacyService
  /** Decoded parameters of the path. An action uses only those of its own path. */
  readonly path: Readonly<Record<PathParameter, string>>
  readonly query: Query
  /** The body as JSON, not yet checked; undefined when there is none. */
  readonly body: unknown
  /**
   * The body under the names of the model, where the endpoint says what it is. Every action of the service checks its input
   * itself: what has the type `never` may be given to any of them.
   */
  readonly input: never
  /** Bytes that the body may have, for those who read it themselves. */
  readonly limit: number
  /** Undefined where the endpoint is open, or where something else stands for a token. */
  readonly caller: EndpointCaller | undefined
  /** For the audit trail: the caller, or the data subject where there is no caller. */
  readonly by: { readonly caller: string }
  readonly http: HttpCall
  /** The table of which the endpoint is an entry. */
  readonly endpoints: Endpoints
  /** Throws `forbidden` when the caller lacks a scope that only this call needs. */
  need(...scopes: readonly UsedScope[]): void
  /** Tells the operator of an error that the answer does not repeat. */
  report(error: unknown): void
}

export interface EndpointBody<Value = unknown> {
  readonly schema: Schema<Value>
  /** What error messages call the body. Errors about `input` then name the places in the body. */
  readonly what?: string
  /** Members that have another name in the model. */
  readonly names?: WireNames
  /** Default: JSON. */
  readonly types?: readonly MediaType[]
  /** Which of the limits on its size holds. Default: `ordinary`. */
  readonly size?: keyof BodyLimits
  /** True: the action reads the body itself. */
  readonly raw?: true
  readonly optional?: true
}

/** One endpoint of the interface: who may call it, what it takes, and what it answers. */
export interface Endpoint<Query extends Parameters = Parameters, Body = unknown, Result = unknown> {
  readonly summary: string
  readonly access: Access
  readonly query?: Query
  readonly body?: EndpointBody<Body>
  /** Default: 200, and 204 where there is no result. */
  readonly status?: number
  readonly result?: Schema<Result>
  /** Media type of the result, where it is not JSON; may be a range such as `text/*`. */
  readonly resultType?: string
  /** Further media types of the result. The document describes them as bytes. */
  readonly otherTypes?: readonly string[]
  /** Answers with another status that are no problem documents; undefined has no body. */
  readonly others?: Readonly<Record<number, Schema | undefined>>
  /** Errors in the form of RFC 6749 instead of RFC 9457. */
  readonly errors?: 'oauth'
  readonly action: (call: EndpointCall<ParameterValues<Query>>) => Promise<NoInfer<Result> | HttpAnswer>
}

/** An endpoint with its types; checks nothing. */
export function endpoint<Query extends Parameters = Record<never, never>, Body = undefined, Result = void>(
  definition: Endpoint<Query, Body, Result>,
): Endpoint<Query, Body, Result> {
  return definition
}

/** Recognises an answer that an action has made itself, by its brand. */
export function answered(answer: HttpAnswer): HttpAnswer {
  return Object.assign(answer, { [brand]: true })
}

export function isAnswer(result: unknown): result is HttpAnswer {
  return typeof result === 'object' && result !== null && brand in result
}

const brand = Symbol('answer')
