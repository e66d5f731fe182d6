import { describe, expect, test } from 'vitest'
import { Lexer } from 'yaml'
import { readYaml, readYamlByPieces } from './read-yaml.js'

const missingMark = "a closing quote or bracket, or a ',' or ':', is missing"
const unexpected =
  'something that cannot stand here: the indentation does not fit, or a quote or bracket is missing before it'

const problemOf = (text: string) => {
  const reading = readYaml(text)
  if (!('problem' in reading)) return `read as ${JSON.stringify(reading.value)}`
  const { line, column, problem } = reading
  return `line ${line}, column ${column}: ${problem}`
}

describe('a text is read', () => {
  test.each<[string, unknown]>([
    ['a: 1\nb: [x, {y: z}]', { a: 1, b: ['x', { y: 'z' }] }],
    ['{"a": [1, -0.5e-3, true, null, "\\ud83d\\ude00\\/"]}', { a: [1, -0.0005, true, null, '😀/'] }],
    ['{\n\t"a": [\n\t\t1\n\t]\n}\n', { a: [1] }],
    ['\ufeffa: 1', { a: 1 }],
    ['# nothing', null],
    ['', null],
    ['a:\nb: ~', { a: null, b: null }],
    ['a: TRUE\nb: no\nc: off', { a: true, b: 'no', c: 'off' }],
    ['a: 2020-01-01\nb: 12:30', { a: '2020-01-01', b: '12:30' }],
    ['010: x\nnull: y', { '010': 'x', null: 'y' }],
    ["a: '010'\nb: !!str 010", { a: '010', b: '010' }],
    ['a: 0\nb: -7\nc: 1e3\nd: 9007199254740991', { a: 0, b: -7, c: 1000, d: 9007199254740991 }],
    ['a: &x {b: 1}\nc: *x\nd: [*x, *x]', { a: { b: 1 }, c: { b: 1 }, d: [{ b: 1 }, { b: 1 }] }],
    ['- &x 1\n- *x\n- &x 2\n- *x', [1, 1, 2, 2]],
    ['&x a: *x', { a: 'a' }],
    ['{"<<": 1}', { '<<': 1 }],
    ['[[[]]]', [[[]]]],
  ])('%j', (text, value) => {
    expect(readYaml(text)).toMatchObject({ value })
  })
})

describe('a text is refused with the place and without repeating it', () => {
  const number = 'a number that would change when read: put it in quotes if it is text'
  test.each<[string, number, number, string]>([
    ['a: 1\nsecret: 2\nsecret: 3', 3, 1, 'a name that is used twice'],
    ['{"a": 1, "a": 2}', 1, 10, 'a name that is used twice'],
    ['1: x\n"1": y', 2, 1, 'a name that is used twice'],
    ['a:\n  __proto__: {secret: true}', 2, 3, 'a name that is not allowed'],
    ['{"__proto__": {}}', 1, 2, 'a name that is not allowed'],
    ['<<: {secret: 1}', 1, 1, 'a merge key, which YAML 1.2 does not have'],
    ['a: !!binary c2VjcmV0', 1, 4, 'a tag that is not known'],
    ['a: !secret x', 1, 4, 'a tag that is not known'],
    ['a: *secret', 1, 4, 'an alias without an anchor before it'],
    ['a: &secret [*secret]', 1, 13, 'an alias without an anchor before it'],
    ['? [secret]\n: 1', 1, 3, 'a name that is not text'],
    ['a: 1\n---\nsecret: 2', 2, 1, 'a second document starts'],
    ['a:\n\t- secret', 2, 1, 'a tab as indentation'],
    ['a: "secret\\q"', 1, 11, 'an escape that does not exist'],
    [
      'a: secret: b',
      1,
      4,
      "a second ':' in a value: the line is indented too far, or the value is text and needs quotes",
    ],
    ['{"secret": 1', 1, 13, missingMark],
    ['%SECRET\n---\na: 1', 1, 1, 'a directive that is not known: put a text that begins with % in quotes'],
    ['a: @secret', 1, 4, 'a text that begins with a reserved character, such as @: put it in quotes'],
    ['a:\n  - secret\n b: 1', 3, 1, 'the indentation does not fit'],
    ['- secret\nb: 1', 2, 1, unexpected],
    ['a: 010', 1, 4, number],
    ['a: +1', 1, 4, number],
    ['a: 0x1F', 1, 4, number],
    ['a: 0o17', 1, 4, number],
    ['a: .inf', 1, 4, number],
    ['a: 1e400', 1, 4, number],
    ['a: 9007199254740993', 1, 4, number],
    ['a: !!int 010', 1, 10, number],
  ])('%j', (text, line, column, reason) => {
    const problem = problemOf(text)
    expect(problem).toBe(`line ${line}, column ${column}: ${reason}`)
    expect(problem).not.toMatch(/secret/i)
  })

  const doubling = ['a0: &a0 [x, x]']
  for (let at = 1; at < 60; at++) doubling.push(`a${at}: &a${at} [*a${at - 1}, *a${at - 1}]`)

  // With deeper nesting the parser ends the process instead of throwing.
  test.each<[string, string, string]>([
    ['aliases of aliases', doubling.join('\n'), 'aliases stand for too much'],
    [
      'too many aliases of little',
      `a: &a x\nb: [[${'*a,'.repeat(60_000)}], [${'*a,'.repeat(60_000)}]]`,
      'aliases stand for too much',
    ],
    ['lists in lists', '- '.repeat(250_000), 'nested too deep'],
    ['lists in brackets', '['.repeat(100_000), 'nested too deep'],
    ['objects in braces', '{"a":'.repeat(100_000), 'nested too deep'],
    ['names of names', '? '.repeat(100_000), 'nested too deep'],
    [
      'lines further and further in',
      Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
      'nested too deep',
    ],
  ])('%s', (_, text, reason) => {
    expect(problemOf(text)).toContain(reason)
  })

  test('a wide object takes time in proportion to its width', () => {
    const text = Array.from({ length: 100_000 }, (_, at) => `k${at}: 1`).join('\n')
    const reading = readYaml(text)
    expect('value' in reading && Object.keys(reading.value as object)).toHaveLength(100_000)
  })
})

describe('the place of a value', () => {
  const text = `dataset:
  - service_key: shop
    collections: &all
      - name: orders
        fields: [{name: id, data_categories: [a,
          b]}, {name: note}]
  - {service_key: crm, collections: *all}
`
  const reading = readYaml(text)
  const placeOf = 'placeOf' in reading ? reading.placeOf : () => 'not read'

  test.each<[string, (string | number)[], number, number]>([
    ['the whole', [], 1, 1],
    ['a member', ['dataset'], 1, 1],
    ['an item of a list', ['dataset', 1], 7, 5],
    ['a member of an item', ['dataset', 0, 'service_key'], 2, 5],
    ['a value on a line of its own', ['dataset', 0, 'collections', 0, 'fields', 0, 'data_categories', 1], 6, 11],
    ['of a member that is missing, what it is missing in', ['dataset', 0, 'collections', 0, 'retention'], 4, 9],
    ['an alias', ['dataset', 1, 'collections'], 7, 24],
    ['what an alias stands for, at its anchor', ['dataset', 1, 'collections', 0, 'name'], 4, 9],
    ['nothing that an object inherits', ['constructor', 'name'], 1, 1],
  ])('%s', (_, loc, line, column) => {
    expect(placeOf(loc)).toEqual({ line, column })
  })
})

describe('a text is read piece by piece', () => {
  const item = (key: string) =>
    `- service_key: ${key}\n  fields: [{name: a, tags: [[x, {y: [1, 2]}], []]}, {name: b}]\n`
  const text = `first: &one {a: [1]}\nlist:\n${Array.from({ length: 2_000 }, (_, at) => item(`k${at}`)).join('')}last: *one\n`
  const lastLine = text.split('\n').length - 1

  function pieces(of: string) {
    const reading = readYamlByPieces(of)
    for (let count = 0; ; count++) {
      const { done, value } = reading.next()
      if (done) return { count, value }
    }
  }

  test('others may have their turn in between, and nothing of it is lost', () => {
    const { count, value } = pieces(text)
    // Words and marks in hundreds, and each item of a list that holds something.
    expect(count).toBeGreaterThan(8_000)
    const fields = [{ name: 'a', tags: [['x', { y: [1, 2] }], []] }, { name: 'b' }]
    expect(value).toMatchObject({
      value: {
        first: { a: [1] },
        list: Array.from({ length: 2_000 }, (_, at) => ({ service_key: `k${at}`, fields })),
        last: { a: [1] },
      },
    })
  })

  test.each([
    ['a name that is used twice', '- {a: 1, a: 2}', 10],
    [missingMark, `- {a: ["x" "y"]}`, 12],
    ['a tag that is not known', '- {a: [{b: !x 1}]}', 12],
    ['an alias without an anchor before it', '- [[*none]]', 5],
  ])('a piece with %s is refused at its place', (problem, piece, column) => {
    const reading = readYaml(text.replace('last: *one', piece))
    expect(reading).toEqual({ problem, line: lastLine, column })
  })

  test('what follows a long item, or a long list, is read', () => {
    const long = 'x'.repeat(3_000)
    const names = Array.from({ length: 1_200 }, (_, at) => `name_${at}`)
    const value = {
      dataset: [{ service_key: 'a', meta: { names, inner: Object.fromEntries(names.map((name) => [name, 1])) } }],
      tags: names,
      list: [[{ a: long }, { b: long }]],
      last: 1,
    }
    const block = [
      'dataset:',
      '  - service_key: a',
      '    meta:',
      '      names:',
      ...names.map((name) => `      - ${name}`),
      '      inner:',
      ...names.map((name) => `        ${name}: 1`),
      'tags:',
      ...names.map((name) => `- ${name}`),
      'list:',
      `- - a: ${long}`,
      `  - b: ${long}`,
      'last: 1',
      '',
    ].join('\n')
    for (const text of [block, JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const reading = readYaml(text)
      expect(reading).toMatchObject({ value })
      if (!('placeOf' in reading)) continue
      const { line, column } = reading.placeOf(['dataset', 0, 'meta', 'names', 700])
      expect(text.split('\n')[line - 1]?.slice(column - 1)).toContain('name_700')
    }
  })

  test.each([
    ['a list', `[${'1,'.repeat(20_000)}1]`],
    ['an object', `{${Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join(', ')}}`],
    ['lines', Array.from({ length: 20_000 }, (_, at) => `k${at}: 1\n`).join('')],
  ])('%s of many texts or numbers is read in parts', (_, text) => {
    const before = pieces(text.slice(0, 3) === 'k0:' ? 'k: 1' : text.slice(0, 1) + text.slice(-1)).count
    const { count, value } = pieces(text)
    const lexed = [...new Lexer().lex(text)].length / 500
    expect(value).toHaveProperty('value')
    expect(count - before).toBeGreaterThanOrEqual(Math.floor(lexed) + 20_000 / 500 - 2)
  })

  test.each([
    ['the comma', missingMark, (part: string[]) => part.with(500, `"a" "b"`)],
    ['an item', unexpected, (part: string[]) => part.with(499, '')],
    ['an item after another', unexpected, (part: string[]) => part.with(500, '')],
    ['an item in the middle', unexpected, (part: string[]) => part.with(777, '')],
    ['a quote', missingMark, (part: string[]) => part.with(600, '"')],
  ])('a long list that lacks %s is refused', (_, problem, changed) => {
    const items = Array.from({ length: 1_600 }, () => '"x"')
    expect(readYaml(`[${items.join(',')},]`)).toMatchObject({ value: Array.from({ length: 1_600 }, () => 'x') })
    expect(readYaml(`[${changed(items).join(',')}]`)).toMatchObject({ problem, line: 1 })
  })

  test.each([
    ['tag', `a: ${'!!str '.repeat(50_000)}x`, 10],
    ['anchor', `a: ${'&a '.repeat(50_000)}x`, 7],
    ['tag', `${'!!str '.repeat(50_000)}a: x`, 7],
  ])('the second %s of many is refused', (what, text, column) => {
    expect(readYaml(text)).toEqual({ problem: `a second ${what} of the same value`, line: 1, column })
  })

  test.each([
    ['a flow list', `[${'1,'.repeat(120_000)}1]`],
    ['a block list', '- 1\n'.repeat(120_000)],
    ['an object', Array.from({ length: 120_000 }, (_, at) => `k${at}: 1\n`).join('')],
  ])('%s of too many members is refused before the rest is read', (_, text) => {
    expect(readYaml(`${text}\n"`)).toMatchObject({ problem: 'a list or object has more than 100000 members' })
  })

  test('of several faults the first one is named, in whichever piece it is', () => {
    const reading = readYaml(
      text.replace('service_key: k7\n', 'service_key: !x k7\n').replace('last: *one', 'last: !y 1'),
    )
    expect(reading).toEqual({ problem: 'a tag that is not known', line: 17, column: 16 })
  })
})
