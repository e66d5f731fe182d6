import { describe, expect, test } from 'vitest'
import { isPrivacyError } from '../errors.js'
import { atOnce } from './at-once.js'
import { manifestKinds, mostManifestItems, readManifest, textPlaceOf } from './manifest.js'

const read = (input: unknown) => atOnce(readManifest(input))

function refusal(input: unknown) {
  try {
    read(input)
  } catch (error) {
    if (isPrivacyError(error, 'invalid_input')) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('a manifest', () => {
  test('is read from YAML, from JSON and from an object', () => {
    const value = { dataset: [{ service_key: 'shop' }], system: [{ name: 'Web shop' }] }
    const yaml = 'dataset:\n  - service_key: shop\nsystem:\n  - name: Web shop\n'
    for (const input of [value, JSON.stringify(value), yaml]) {
      expect(read(input)).toEqual({
        kinds: ['system', 'dataset'],
        items: [
          { kind: 'system', input: { name: 'Web shop' }, loc: ['system', 0], key: 'web_shop' },
          { kind: 'dataset', input: { service_key: 'shop' }, loc: ['dataset', 0], key: 'shop' },
        ],
      })
    }
  })

  test('has every kind, in the order in which they are applied', () => {
    const kinds = ['organization', 'registry', 'data_category', 'data_use', 'data_subject', 'data_qualifier']
    expect(manifestKinds).toEqual([...kinds, 'system', 'dataset', 'policy'])
    const reversed = Object.fromEntries([...manifestKinds].reverse().map((kind) => [kind, []]))
    expect(read(reversed)).toEqual({ kinds: manifestKinds, items: [] })
  })

  test('takes one object for a list of one, and nothing for an empty list', () => {
    expect(read('policy: {service_key: a}\nregistry:')).toEqual({
      kinds: ['registry', 'policy'],
      items: [{ kind: 'policy', input: { service_key: 'a' }, loc: ['policy'], key: 'a' }],
    })
  })

  test.each<[string, unknown, string | undefined]>([
    ['its own', { service_key: 'a', name: 'B' }, 'a'],
    ['the older one', { fides_key: 'a' }, 'a'],
    ['its own before the older one', { service_key: 'a', fides_key: 'b' }, 'a'],
    ['one from its name', { service_key: '', name: 'Web shop' }, 'web_shop'],
    ['none without either', { description: 'x' }, undefined],
    ['none that is not a key', { service_key: 'x'.repeat(256), name: 'a' }, undefined],
    ['none that is not text', { service_key: 5 }, undefined],
    ['none of a value that is not an object', 'shop', undefined],
  ])('knows the key of an item: %s', (_, input, key) => {
    expect(read({ dataset: [input] }).items[0]?.key).toBe(key)
  })
})

describe('a manifest is refused', () => {
  test.each<[string, unknown, (string | number)[][], string]>([
    [
      'an unknown name at the top',
      { datasets: [] },
      [['datasets']],
      'datasets is not known here: a manifest has some of organization, registry,',
    ],
    [
      'several bad names at once',
      { datasets: [], systems: [], policy: 'x' },
      [['datasets'], ['systems'], ['policy']],
      'and 2 more',
    ],
    ['a value that is neither list nor object', 'dataset: shop', [['dataset']], 'dataset must be a list or one object'],
    [
      'an unknown name called __proto__',
      JSON.parse('{"__proto__": []}'),
      [['__proto__']],
      '__proto__ is not known here',
    ],
    ['nothing at all', {}, [[]], 'is empty: it must have some of organization'],
    ['an empty text', '# nothing yet', [[]], 'must be an object with some of organization'],
    ['a list', [{ service_key: 'a' }], [[]], 'must be an object with'],
    ['no value', undefined, [[]], 'must be an object with'],
    ['a number', 5, [[]], 'must be an object with'],
    ['an instance of a class', new Map([['dataset', []]]), [[]], 'must be an object with'],
    [
      'a text that breaks off',
      'dataset:\n  - service_key: "secret',
      [[]],
      "line 2, column 25: cannot be read as YAML or JSON: a closing quote or bracket, or a ',' or ':', is missing",
    ],
    [
      'a duplicate name',
      'dataset: []\ndataset: []',
      [[]],
      'line 2, column 1: cannot be read as YAML or JSON: a name that is used twice',
    ],
    [
      'a prototype',
      'dataset:\n  - __proto__: {secret: 1}',
      [[]],
      'line 2, column 5: cannot be read as YAML or JSON: a name that is not allowed',
    ],
    ['an old octal number', 'dataset:\n  - service_key: 010', [[]], 'put it in quotes'],
    [
      'too many items',
      { dataset: Array(mostManifestItems).fill({}), system: {} },
      [[]],
      'has 10001 items, more than the 10000 allowed in one call: split it',
    ],
  ])('%s', (_, input, places, message) => {
    const error = refusal(input)
    expect(error.details.issues.map(({ loc }) => loc)).toEqual(places)
    expect(error.message).toContain('This manifest is not valid: ')
    expect(error.message).toContain(message)
    expect(JSON.stringify(error)).not.toContain('secret')
  })
})

describe('several files are one manifest', () => {
  const files = [
    { file: 'datasets/crm.yml', text: 'dataset: [{service_key: crm}]\npolicy: {service_key: ads}' },
    { file: 'systems.json', text: '{"system": {"service_key": "web"}, "dataset": [{"service_key": "shop"}]}' },
  ]

  test('their items come in the order of kinds, then of files', () => {
    const { kinds, items } = read(files)
    expect(kinds).toEqual(['system', 'dataset', 'policy'])
    expect(items.map(({ kind, key, loc }) => [kind, key, loc.join('/')])).toEqual([
      ['system', 'web', 'system'],
      ['dataset', 'crm', 'dataset/0'],
      ['dataset', 'shop', 'dataset/0'],
      ['policy', 'ads', 'policy'],
    ])
    expect(items.map((item) => textPlaceOf(item, [...item.loc, 'service_key']))).toEqual([
      { file: 'systems.json', line: 1, column: 13 },
      { file: 'datasets/crm.yml', line: 1, column: 12 },
      { file: 'systems.json', line: 1, column: 49 },
      { file: 'datasets/crm.yml', line: 2, column: 10 },
    ])
  })

  test('what is wrong is named in all of them, with file, line and column', () => {
    const bad = [
      { file: 'a.yml', text: 'dataset: [' },
      ...files,
      { file: 'b.yml', text: '# none\ndatasets: []\npolicy: 5' },
      { file: 'c.yml', text: '' },
    ]
    const error = refusal(bad)
    expect(error.details.issues.map(({ file, line, column, loc, type }) => [file, line, column, loc, type])).toEqual([
      ['a.yml', 1, 11, [], 'malformed'],
      ['b.yml', 2, 1, ['datasets'], 'unknown_member'],
      ['b.yml', 3, 1, ['policy'], 'invalid_type'],
      ['c.yml', 1, 1, [], 'invalid_type'],
    ])
    expect(error.message).toBe(
      'This manifest is not valid: a.yml, line 1, column 11: cannot be read as YAML or JSON: the indentation does not fit, and 3 more.',
    )
  })

  test.each([[[]], [[{ file: 'a.yml' }]], [[{ file: 'a.yml', text: 5 }]], [[...files, { service_key: 'x' }]]])(
    'a list of anything else is refused: %j',
    (input) => {
      expect(refusal(input).message).toContain('must be an object with some of')
    },
  )
})
