import { describe, expect, it } from 'vitest'
import { type Attack, faultsOf, sharedWorld } from './attack/attacks.js'
import { callSample, type Target, targets } from './attack/calls.js'

const target = targets.find(({ sample }) => sample.manifest) as Target
const yaml = (raw: string | Uint8Array, more: Partial<Attack> = {}): Attack => ({
  name: String(raw).slice(0, 60),
  variation: { raw, headers: { 'content-type': 'application/yaml' } },
  ...more,
})
const item = (description: string) => `registry:\n- service_key: fresh\n  description: ${description}\n`

describe('an invalid manifest in YAML', () => {
  it('is refused, and nothing is stored', async () => {
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]']
    for (const [index, name] of [...'bcdefghij'].entries()) {
      const above = index === 0 ? 'a' : 'bcdefghij'[index - 1]
      bomb.push(`${name}: &${name} [${Array.from({ length: 9 }, () => `*${above}`).join()}]`)
    }
    const attacks = [
      ...[
        '',
        '---',
        'null',
        '[]',
        'text',
        '42',
        '- registry',
        '{',
        'registry: [',
        '\t',
        'a: b: c',
        '"',
        '%YAML 9.9\n---\na: 1',
      ],
      ...[
        'registry: text',
        'registry: 1',
        'registry: true',
        'registries: []',
        '__proto__: {}',
        'registry: {}\n__proto__: {a: 1}',
      ],
      ...[
        'registry: []\nregistry: []',
        'registry: !!js/function "a"',
        '!!binary aaaa',
        'registry: <<',
        '<<: {registry: []}',
        '? [a]\n: b',
      ],
      ...[
        'registry: 0x1F',
        'registry: .inf',
        'registry: *missing',
        'registry: &a [*a]',
        'registry: []\n---\nregistry: []',
        bomb.join('\n'),
      ],
      ...[
        '['.repeat(10_000),
        '{a: '.repeat(10_000),
        '- '.repeat(10_000),
        `registry: ${'['.repeat(5_000)}${']'.repeat(5_000)}`,
      ],
      ...[`registry:\n${'- {}\n'.repeat(10_001)}`, `${'a'.repeat(100_000)}: 1`, `registry:\n${' '.repeat(50_000)}- a`],
    ].map((text) => yaml(text, { status: [400, 422] }))
    const bytes = [
      [0x22, 0xff, 0xfe, 0x22],
      [0xed, 0xa0, 0x80],
      [0xfe, 0xff, 0x00, 0x61],
      [0x00, 0x61],
    ].map((raw) => yaml(new Uint8Array(raw), { status: [400, 422] }))
    expect(await faultsOf(target, [...attacks, ...bytes])).toEqual([])
  })

  it('text that no storage takes is refused in YAML as in JSON', async () => {
    const broken = ['"\\0"', '"a\\0b"', '"\\x00"', '"\\u0000"', '"\\ud800"', '"\\udfff a"', '"\\uD800\\u0041"']
    const hidden = 'zq9-hidden-zq9'
    const attacks = [
      ...broken.map((text) => yaml(item(text), { outcome: 'refused' })),
      ...broken.map((name) => yaml(`registry:\n- service_key: fresh\n  ${name}: ${hidden}\n`, { hidden: [hidden] })),
      ...broken.map((name) => yaml(`${name}: []\n`)),
      ...broken.map((text) => yaml(`registry:\n- service_key: ${text}\n`)),
      ...broken.map((text) => yaml(`dataset:\n- service_key: fresh\n  meta: {a: [${text}]}\n`)),
    ]
    expect(await faultsOf(target, attacks)).toEqual([])
  })

  it('names that reach into JavaScript', async () => {
    const names = ['constructor', 'prototype', 'toString', 'hasOwnProperty']
    const attacks = [
      yaml('registry:\n- service_key: fresh\n  __proto__: {polluted: 1}\n'),
      yaml('registry:\n- service_key: fresh\n  "\\x5f_proto__": {polluted: 1}\n'),
      ...names.map((name) =>
        yaml(`registry:\n- service_key: fresh\n  ${name}: {prototype: {polluted: 1}}\n`, { outcome: 'answered' }),
      ),
      ...['__proto__', ...names].map((key) => yaml(`registry:\n- service_key: ${key}\n`, { outcome: 'answered' })),
    ]
    expect(await faultsOf(target, attacks)).toEqual([])
  })

  it('what is sent as JSON is JSON, and its errors have lines', async () => {
    const json = (raw: string, more: Partial<Attack> = {}): Attack => ({ name: raw, variation: { raw }, ...more })
    const attacks = ['registry: []', '{registry: []}', "{'registry': []}", '{"registry": [],}', '{"registry": []'].map(
      (raw) => json(raw, { status: [400] }),
    )
    const twice = json('{"registry": [],\n "registry": []}', { status: [422] })
    expect(await faultsOf(target, [...attacks, twice])).toEqual([])
    const world = await sharedWorld()
    const answer = await callSample(target, world, { raw: '{\n "registry": [\n  {"service_key": "fresh"},\n  5]}' })
    expect(await answer.json()).toMatchObject({
      registry: { succeeded: [{}], failed: [{ errors: [{ loc: ['body', 'registry', 1], line: 4, column: 3 }] }] },
    })
    await world.restore()
  })
})
