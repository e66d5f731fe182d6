import { endpoints } from '@habeas/http'
import fc, { type Arbitrary } from 'fast-check'
import { keys, nearMissOf, oddities } from './arbitrary-values.js'
import { basic, pathOf, type Target, targets, type Variation } from './calls.js'
import { bodySchemaOf } from './described.js'
import { type AttackedWorld, root } from './world.js'

/** One call, and as whom. */
export interface AttackingCall {
  readonly target: Target
  readonly variation: (world: AttackedWorld) => Variation
  /** How a counterexample is shown. */
  readonly [fc.toStringMethod]: () => string
}

const mostly = <Value>(usual: Value, ...others: readonly Value[]): Arbitrary<Value> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 12 }, { arbitrary: fc.constantFrom(...others), weight: 1 })

const segments = [
  ...keys,
  ...[
    '%00',
    '%2e%2e',
    '..',
    '%ff',
    '%',
    'a%2fb',
    '%20',
    '%c3%a4',
    'a'.repeat(300),
    '__proto__',
    'constructor',
    'bigquery',
    'start.js',
  ],
]

type PathChoice = string | undefined | ((world: AttackedWorld) => string)

const pathChoice: Arbitrary<PathChoice> = fc.oneof(
  { arbitrary: fc.constant(undefined), weight: 4 },
  {
    arbitrary: fc.constantFrom<PathChoice>(
      ...segments,
      ({ client }) => client.id,
      ...(['complete', 'failed', 'pending', 'unverified', 'waiting', 'paused', 'asked', 'timed'] as const).map(
        (status): PathChoice =>
          ({ requests }) =>
            requests[status],
      ),
    ),
    weight: 3,
  },
)

function pathArbitrary(target: Target): Arbitrary<(world: AttackedWorld) => string> {
  const names = [...target.template.matchAll(/\{(.+?)\}/g)].map(([, name]) => name as string)
  return fc.tuple(...names.map(() => pathChoice)).map((choices) => (world) => {
    const chosen = names.flatMap((name, index) => {
      const choice = choices[index]
      return choice === undefined ? [] : [[name, typeof choice === 'function' ? choice(world) : choice] as const]
    })
    return pathOf(target, world, Object.fromEntries(chosen))
  })
}

const queryValue = fc.oneof(
  fc.constantFrom(
    'true',
    'false',
    '1',
    '0',
    '-1',
    '2',
    '100',
    '101',
    'asc',
    'created_at',
    'pending',
    'postgres',
    'database',
  ),
  fc.constantFrom(
    'untested',
    '2024-01-01',
    '2024-01-01T00:00:00Z',
    'NaN',
    '1e3',
    '%00',
    '%ff',
    '%',
    '',
    '*',
    'pri_*',
    '9'.repeat(30),
  ),
  fc.string({ maxLength: 8 }).map(encodeURIComponentSafely),
)

/** As a browser does: halves of surrogate pairs are replaced. */
function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString())
}

function queryArbitrary({ key, sample }: Target): Arbitrary<string | undefined> {
  const known = Object.keys((endpoints[key] as { query?: object }).query ?? {})
  const names = fc.constantFrom(...known, 'page', 'size', 'unknown', '__proto__', 'page[]')
  const pairs = fc.array(fc.tuple(names, queryValue), { maxLength: 3 })
  return fc.oneof(
    fc.constant(sample.query),
    pairs.map((list) => list.map(([name, value]) => `${name}=${value}`).join('&')),
  )
}

const authorization: Arbitrary<(world: AttackedWorld) => string> = fc
  .oneof(
    { arbitrary: fc.constant('token'), weight: 20 },
    { arbitrary: fc.constantFrom('client', '', 'Bearer', 'Bearer a.b.c', 'Basic !', 'tampered', basic), weight: 1 },
  )
  .map((choice) => (world) => {
    if (choice === 'token') return `Bearer ${world.token}`
    if (choice === 'client') return `Bearer ${world.client.token}`
    return choice === 'tampered' ? `Bearer ${world.token.slice(0, -2)}AA` : choice
  })

const formMember = fc.oneof(
  {
    arbitrary: fc.constantFrom(root.id, root.secret, 'client_credentials', 'policy:read', 'CLIENT_CREATE', ''),
    weight: 4,
  },
  { arbitrary: fc.string({ maxLength: 10 }), weight: 1 },
)

/** As a form, as JSON, or as something between. */
function formBody({ sample }: Target): Arbitrary<Variation> {
  const names = [...Object.keys(sample.body as object), 'scope', 'unknown', '__proto__']
  const changes = fc.array(fc.tuple(fc.constantFrom(...names), formMember), { maxLength: 2 })
  const asForm = changes.map((list): Variation => {
    const usual = Object.entries(sample.body as Record<string, string>).filter(
      ([name]) => !list.some(([other]) => other === name),
    )
    const raw = [...usual, ...list].map((pair) => pair.map(encodeURIComponentSafely).join('=')).join('&')
    return { raw, headers: { 'content-type': 'application/x-www-form-urlencoded' } }
  })
  const asJson = fc.tuple(changes, fc.constantFrom(...oddities)).map(([list, odd]): Variation => {
    return {
      body: {
        ...(sample.body as object),
        ...Object.fromEntries(list.map(([name], index) => [name, index === 0 ? odd : 'a'])),
      },
    }
  })
  return fc.oneof(asForm, asForm, asJson)
}

/** JSON that was cut off, or in which bytes were replaced. */
function broken(text: string, at: number, replacement: string): string {
  const place = at % (text.length + 1)
  return text.slice(0, place) + replacement + (replacement === '' ? '' : text.slice(place + 1))
}

function bodyArbitrary(target: Target): Arbitrary<Variation> {
  if (target.sample.form) return formBody(target)
  if (!target.takesBody) {
    return target.verb === 'GET'
      ? fc.constant({})
      : mostly<Variation>({}, { body: {} }, { body: null }, { body: [] }, { raw: '{' }, { raw: ' ' })
  }
  const schema = bodySchemaOf(target.key) as Parameters<typeof nearMissOf>[0]
  const near = nearMissOf(schema, target.sample.body).map((body): Variation => ({ body }))
  const mutilated = fc
    .tuple(
      nearMissOf(schema, target.sample.body),
      fc.nat(10_000),
      fc.constantFrom('', '\u0000', '"', '{', ',', '\\', '1e999', 'é'),
    )
    .map(([body, at, replacement]): Variation => ({ raw: broken(JSON.stringify(body) ?? '', at, replacement) }))
  return fc.oneof({ arbitrary: near, weight: 12 }, { arbitrary: mutilated, weight: 1 })
}

const contentType = mostly<string | undefined>(
  undefined,
  'application/json; charset=utf-8',
  'text/plain',
  'application/yaml',
  'multipart/form-data; boundary=x',
  '',
)

function callOf(target: Target): Arbitrary<AttackingCall> {
  const parts = fc.record({
    path: pathArbitrary(target),
    query: queryArbitrary(target),
    as: authorization,
    body: bodyArbitrary(target),
    type: contentType,
    method: mostly(target.verb, 'GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
  })
  return parts.map(({ path, query, as, body, type, method }) => ({
    target,
    [fc.toStringMethod]: () => `${target.key} ${JSON.stringify({ query, method, type, ...body })}`,
    variation: (world) => ({
      path: path(world),
      query,
      method,
      ...body,
      headers: {
        ...(!target.isOpen && { authorization: as(world) }),
        ...body.headers,
        ...(type !== undefined && { 'content-type': type }),
      },
    }),
  }))
}

const withBody = targets.filter(({ takesBody }) => takesBody)

/** Calls of every endpoint: what its schemas describe, and near misses. */
export const attackingCall: Arbitrary<AttackingCall> = fc
  .oneof(fc.constantFrom(...targets), fc.constantFrom(...withBody))
  .chain(callOf)
