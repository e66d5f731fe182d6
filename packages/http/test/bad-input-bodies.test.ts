import { describe, expect, it } from 'vitest'
import { type Attack, faultsOf } from './attack/attacks.js'
import { changedAt, jsonWith, kindOf, nested, placesOf } from './attack/bodies.js'
import { type Target, targets } from './attack/calls.js'
import { bodyValidator } from './attack/described.js'

const withBody = targets.filter(({ takesBody }) => takesBody)
/** Read as JSON by the interface itself. */
const inJson = withBody.filter(({ sample }) => !sample.form)
const marker = 'zq9-marker-zq9'

const check = async (target: Target, attacks: readonly Attack[]) => expect(await faultsOf(target, attacks)).toEqual([])

const notJson = [
  ...['{', '[1,', 'nope', '{"a":}', "{'a': 1}", '{"a":1,}', '{"a":01}', '{"a":NaN}', '{"a":Infinity}', '{"a":"\n"}'],
  ...['undefined', '<a/>', 'a=1&b=2', '{"a":1}{"b":2}', '\ufeff{', '\u0000', '"\\x"', '{"a" 1}', '/* */{}', '{} //'],
]

describe('a body that is no JSON', () => {
  it.each(inJson)('$key', async (target) => {
    const text = (raw: string): Attack => ({ name: JSON.stringify(raw), variation: { raw: `${raw}` }, status: [400] })
    const bytes = (name: string, ...raw: number[]): Attack => ({
      name,
      variation: { raw: new Uint8Array(raw) },
      status: [400],
    })
    await check(target, [
      ...notJson.map(text),
      bytes('bytes that are no UTF-8', 0x22, 0xff, 0xfe, 0x22),
      bytes('half of a character', 0x22, 0xe2, 0x82, 0x22),
      bytes('an overlong form', 0x22, 0xc0, 0xaf, 0x22),
      bytes('half of a surrogate pair as UTF-8', 0x22, 0xed, 0xa0, 0x80, 0x22),
      bytes('UTF-16', 0x7b, 0x00, 0x7d, 0x00),
      bytes('gzip', 0x1f, 0x8b, 0x08, 0x00, 0x00),
    ])
  })
})

describe('no body where there must be one', () => {
  it.each(inJson.filter(({ sample }) => !sample.optional))('$key', async (target) => {
    await check(target, [
      { name: 'none', variation: { body: undefined }, status: [422], place: ['body'] },
      { name: 'empty', variation: { raw: '' }, status: [422], place: ['body'] },
    ])
  })
})

describe('a body where there must be none', () => {
  it.each(targets.filter(({ takesBody, verb }) => !takesBody && verb !== 'GET'))('$key', async (target) => {
    await check(target, [
      ...['{', 'nope'].map((raw): Attack => ({ name: raw, variation: { raw }, status: [400] })),
      ...[{ a: 1 }, [], [1], 'text', 1, false].map(
        (body): Attack => ({ name: JSON.stringify(body), variation: { body }, status: [422], place: ['body'] }),
      ),
      {
        name: 'another content type',
        variation: { raw: 'a', headers: { 'content-type': 'text/plain' } },
        status: [415],
      },
    ])
  })
})

describe('a value of another type, at every place of the body', () => {
  const others: readonly unknown[] = [marker, 12.5, true, [marker], { thing: marker }]
  it.each(withBody)('$key', async (target) => {
    const isDescribed = bodyValidator(target.key)
    const attacks = placesOf(target.sample.body).flatMap(({ place, value }) =>
      others
        .filter((other) => kindOf(other) !== kindOf(value))
        .map((other): Attack => {
          const body = changedAt(target.sample.body, place, other)
          // A manifest answers for each of its items.
          const isRefused = !isDescribed?.(body) && !(target.sample.manifest && place.length > 1)
          return {
            name: `${JSON.stringify(other)} at ${place.join('.') || 'the root'}`,
            variation: { body },
            outcome: isRefused ? 'refused' : 'answered',
            ...(isRefused && !target.sample.form && { status: [422], place: ['body', ...place.slice(0, 1)] }),
          }
        }),
    )
    await check(target, attacks)
  })
})

describe('null, at every place of the body', () => {
  it.each(withBody)('$key', async (target) => {
    const isDescribed = bodyValidator(target.key)
    const attacks = placesOf(target.sample.body).map(({ place }): Attack => {
      const body = changedAt(target.sample.body, place, null)
      // A member that is null counts as absent; an item of a list does not.
      const isItem = place.length === 0 || typeof place.at(-1) === 'number'
      const isRefused = isItem && !isDescribed?.(body) && !(target.sample.manifest && place.length > 0)
      return { name: `at ${place.join('.')}`, variation: { body }, outcome: isRefused ? 'refused' : 'answered' }
    })
    await check(target, attacks)
  })
})

describe('a member that is missing', () => {
  it.each(withBody)('$key', async (target) => {
    const { required = [], form } = target.sample
    const attack = (name: string, body: unknown): Attack => ({
      name,
      variation: { body },
      status: form ? [400, 401] : [422],
      ...(!form && { place: ['body'] }),
    })
    await check(target, [
      ...required.map((name) => attack(`without ${name}`, changedAt(target.sample.body, [name], undefined))),
      ...required.map((name) => attack(`null as ${name}`, changedAt(target.sample.body, [name], null))),
      ...(required.length > 0 ? [attack('an empty object', {})] : []),
    ])
  })
})

describe('an unknown member', () => {
  it.each(inJson)('$key', async (target) => {
    const faults = await faultsOf(
      target,
      placesOf(target.sample.body)
        .filter(({ value }) => kindOf(value) === 'object')
        .map(({ place, value }): Attack => {
          const body = changedAt(target.sample.body, place, { ...(value as object), unknown_thing: marker })
          const { strict, manifest } = target.sample
          const isStrict = strict === true && !manifest
          const isStrictRoot = (strict === 'root' || manifest) && place.length === 0
          return {
            name: `at ${place.join('.') || 'the root'}`,
            variation: { body },
            ...(isStrict || isStrictRoot
              ? { status: [422], place: ['body', ...place, 'unknown_thing'] }
              : { outcome: 'answered' }),
            hidden: target.sample.manifest || target.sample.body === value ? [marker] : [],
          }
        }),
    )
    expect(faults).toEqual([])
  })
})

describe('a body that is nested too deeply', () => {
  it.each(withBody)('$key', async (target) => {
    const deep = (['[', '{"a":'] as const).flatMap((opening): Attack[] => {
      const text = nested(10_000, opening)
      const places = placesOf(target.sample.body).filter(({ place }) => place.length > 0)
      return [
        { name: `${opening} at the root`, variation: { raw: text } },
        { name: `${opening} 100,000 times`, variation: { raw: nested(100_000, opening) } },
        ...places.map(
          ({ place }): Attack => ({
            name: `${opening} at ${place.join('.')}`,
            variation: { raw: jsonWith(target.sample.body, place, text) },
          }),
        ),
      ]
    })
    await check(target, deep)
  })
})
