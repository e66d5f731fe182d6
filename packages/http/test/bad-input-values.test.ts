import { describe, expect, it } from 'vitest'
import { type Attack, faultsOf } from './attack/attacks.js'
import { changedAt, jsonWith, kindOf, placesOf } from './attack/bodies.js'
import { type Target, targets } from './attack/calls.js'
import { bodyValidator } from './attack/described.js'

const withBody = targets.filter(({ takesBody }) => takesBody)
const hidden = ['zq9-hidden-zq9']
const [secret] = hidden as [string]

const check = async (target: Target, attacks: readonly Attack[]) => expect(await faultsOf(target, attacks)).toEqual([])
const at = (place: readonly (string | number)[]) => place.join('.') || 'the root'

describe('numbers that do not fit', () => {
  const written = ['1e400', '-1e400', '9007199254740993', '1e21', '5e-324', '-1', '0.1']
  it.each(withBody)('$key', async (target) => {
    const isDescribed = bodyValidator(target.key)
    const attacks = placesOf(target.sample.body).flatMap(({ place }) =>
      written.map((number): Attack => {
        const raw = jsonWith(target.sample.body, place, number)
        const parsed = JSON.parse(raw)
        const isEndless = !Number.isFinite(Number(number))
        const isRefused = isEndless || (!isDescribed?.(parsed) && !(target.sample.manifest && place.length > 1))
        return { name: `${number} at ${at(place)}`, variation: { raw }, outcome: isRefused ? 'refused' : 'answered' }
      }),
    )
    await check(target, attacks)
  })
})

describe('text that no storage takes', () => {
  const broken = ['"\\ud800"', '"a\\udfffb"', '"\\u0000"', '"a\\u0000"', '"\\udc00\\ud800"']
  it.each(withBody)('$key', async (target) => {
    const attacks = placesOf(target.sample.body).flatMap(({ place, value }) => [
      ...broken.map(
        (text): Attack => ({
          name: `${text} at ${at(place)}`,
          variation: { raw: jsonWith(target.sample.body, place, text) },
        }),
      ),
      ...(kindOf(value) === 'object'
        ? broken.map((name): Attack => {
            const mark = '@@name@@'
            const body = changedAt(target.sample.body, place, { ...(value as object), [mark]: secret })
            const raw = JSON.stringify(body).replace(`"${mark}"`, name)
            return { name: `${name} as a name at ${at(place)}`, variation: { raw }, hidden }
          })
        : []),
    ])
    await check(target, attacks)
  })
})

describe('names that reach into JavaScript', () => {
  it.each(withBody)('$key', async (target) => {
    const objects = placesOf(target.sample.body).filter(({ value }) => kindOf(value) === 'object')
    const poison = { polluted: secret, isAdmin: true }
    const attacks = objects.flatMap(({ place, value }): Attack[] => {
      const mark = '@@name@@'
      const raw = (name: string, inside: unknown) =>
        JSON.stringify(changedAt(target.sample.body, place, { ...(value as object), [mark]: inside })).replace(
          mark,
          name,
        )
      return [
        { name: `__proto__ at ${at(place)}`, variation: { raw: raw('__proto__', poison) }, hidden },
        {
          name: `__proto__ written otherwise at ${at(place)}`,
          variation: { raw: raw('\\u005f_proto__', poison) },
          hidden,
        },
        ...['constructor', 'prototype', 'toString', 'hasOwnProperty', '__defineGetter__', 'then', 'toJSON'].map(
          (name): Attack => ({
            name: `${name} at ${at(place)}`,
            variation: { raw: raw(name, { prototype: poison }) },
            outcome: 'answered',
          }),
        ),
      ]
    })
    await check(target, attacks)
  })
})

describe('invalid keys', () => {
  const wrong = [
    ...[
      '.',
      '..',
      '...',
      '.'.repeat(255),
      'a b',
      ' a',
      'a ',
      'a/b',
      'a\\b',
      'a:b',
      'a%2fb',
      'ä',
      '漢',
      '\u202ea',
      'a\nb',
      'a\tb',
    ],
    ...[
      'a'.repeat(256),
      'a'.repeat(300),
      '<script>',
      "a'b",
      'a"b',
      'a;b',
      'a,b',
      '$a',
      'a*',
      '\u200b',
      '😀',
      'a\u0301',
      '{}',
    ],
  ]
  const isKey = (name: unknown) => typeof name === 'string' && /(^|_)(key|parent_key)$/.test(name)

  it.each(withBody)('$key', async (target) => {
    const keys = placesOf(target.sample.body).filter(
      ({ place, value }) => typeof value === 'string' && isKey(place.at(-1)),
    )
    const attacks = keys.flatMap(({ place }) =>
      wrong.map(
        (key): Attack => ({
          name: `${JSON.stringify(key)} at ${at(place)}`,
          variation: { body: changedAt(target.sample.body, place, key) },
          outcome: target.sample.manifest ? 'answered' : 'refused',
          ...(!target.sample.manifest && { status: [422], place: ['body', ...place] }),
        }),
      ),
    )
    await check(target, attacks)
  })

  const inherited = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    '__lookupGetter__',
  ]
  it.each(withBody)('$key takes keys that JavaScript knows as any other', async (target) => {
    const keys = placesOf(target.sample.body).filter(
      ({ place, value }) => typeof value === 'string' && isKey(place.at(-1)),
    )
    const attacks = keys.flatMap(({ place }) =>
      inherited.map(
        (key): Attack => ({
          name: `${key} at ${at(place)}`,
          variation: { body: changedAt(target.sample.body, place, key) },
          outcome: 'answered',
        }),
      ),
    )
    await check(target, attacks)
  })
})

describe('values where only some are known', () => {
  const odd = [
    '__proto__',
    'constructor',
    'toString',
    '',
    ' ',
    'ANY ',
    'any',
    'null',
    '*',
    "'; DROP TABLE client; --",
    'x'.repeat(10_000),
  ]
  it.each(withBody)('$key', async (target) => {
    const isDescribed = bodyValidator(target.key)
    const attacks = placesOf(target.sample.body).flatMap(({ place, value }) =>
      typeof value !== 'string'
        ? []
        : odd.map((text): Attack => {
            const body = changedAt(target.sample.body, place, text)
            const isRefused = !target.sample.form && !target.sample.manifest && !isDescribed?.(body)
            return {
              name: `${text.slice(0, 30)} at ${at(place)}`,
              variation: { body },
              outcome: isRefused ? 'refused' : 'answered',
            }
          }),
    )
    await check(target, attacks)
  })
})

describe('invalid identities', () => {
  const people: readonly unknown[] = [
    ...[
      [],
      {},
      [[]],
      [{}],
      [null],
      ['a@example.com'],
      'a@example.com',
      7,
      [{ email: null }],
      [{ email: {} }],
      [{ email: [] }],
    ],
    ...[
      [{ email: [secret] }],
      [{ email: '' }],
      [{ email: ' ' }],
      [{ email: 'a'.repeat(1_001) }],
      [{ email: 9_007_199_254_740_992 }],
    ],
    ...[
      [{ [secret]: null }],
      [{ [`${secret} `]: 1 }],
      [{ constructor: 'a' }],
      [{ toString: 'a' }],
      [{ hasOwnProperty: 'a' }],
    ],
    ...[[{ 'a\nb': 1 }], [{ '': 'a' }], [{ ['a'.repeat(129)]: 1 }], [{ 'a@b': secret }]],
    Array.from({ length: 51 }, () => ({ email: secret })),
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`p${index}`, secret]))],
  ]
  const submitting = withBody.filter(({ sample }) => sample.required?.includes('identities'))
  it.each(submitting)('$key', async (target) => {
    const attacks = people.map(
      (identities): Attack => ({
        name: JSON.stringify(identities).slice(0, 60),
        variation: { body: { ...(target.sample.body as object), identities } },
        status: [422],
        place: ['body', 'identities'],
        ...(!JSON.stringify(identities).includes(`"${secret}":`) && { hidden }),
      }),
    )
    await check(target, attacks)
  })

  it.each(submitting)('$key repeats no identity and no key it refuses', async (target) => {
    const body = target.sample.body as object
    const attacks = [
      { identities: [{ email: secret }], identity: { email: secret } },
      { identities: [{ email: secret }], policy_key: 'missing' },
      { identities: [{ email: secret }], encryption_key: secret },
      { identities: [{ email: secret }], encryption_key_256: secret },
      { identities: [{ email: secret }], requested_at: secret },
      { identities: [{ email: secret }], accept_undecided: secret },
      { identities: secret },
      { identities: [{ email: secret }, { phone: { number: secret } }] },
      { identities: [{ email: { [secret]: secret } }] },
    ].map(
      (change): Attack => ({
        name: JSON.stringify(change),
        variation: { body: { ...body, ...change } },
        status: [422],
        hidden,
      }),
    )
    await check(target, attacks)
  })
})

describe('secrets that do not fit are not repeated', () => {
  it.each(withBody.filter(({ key }) => key.endsWith('/secret')))('$key', async (target) => {
    const changes: readonly object[] = [
      { password: [secret] },
      { password: { [secret]: 1 } },
      { port: secret },
      { port: 65_536 },
      { port: -1 },
      { port: 1.5 },
      { url: secret },
      { ssl: secret },
      { ssl: { key: secret, reject_unauthorized: secret } },
      { user: 'a', username: secret },
      { host: secret, pasword: secret },
      { keyfile_creds: { private_key: secret } },
    ]
    const attacks = changes.map(
      (body): Attack => ({ name: JSON.stringify(body), variation: { body }, status: [422], hidden }),
    )
    await check(target, attacks)
  })
})
