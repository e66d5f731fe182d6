import type { Erase, KeyGroup, Read } from '@habeas/core'
import { compileCount, compileCountEach, compileErase, compileRead } from '@habeas/sql'
import { describe, expect, it } from 'vitest'
import { bigqueryDialect } from '../src/dialect.js'
import { type LiveColumn, typeOf } from '../src/live-column.js'
import { type NamedParameter, parameterNames } from '../src/query-parameters.js'
import { bigqueryShapes } from '../src/shapes.js'
import { writeScript } from '../src/write-script.js'
import { people } from './fake-service.js'

const columns = people.map((field): LiveColumn => ({ name: field.name!, type: typeOf(field) }))
const table = { path: ['acme', 'shop', 'people'], columns: new Map(columns.map((column) => [column.name, column])) }
const by = (path: string, ...values: (string | number)[]) => ({ fields: [{ path: path.split('.') }], values: [values] })

function read(anyOf: Read['anyOf']) {
  const names = parameterNames()
  const statement = compileRead({ collection: 'people', columns: ['id'], anyOf }, table, bigqueryDialect(names))
  const where = statement?.sql.replace('select `id` from `acme`.`shop`.`people` where ', '')
  return [where, ...names.all().map(({ parameterType, parameterValue }) => [parameterType, parameterValue])]
}

const strings = { type: 'ARRAY', arrayType: { type: 'STRING' } }
const toText = (json: unknown) => JSON.stringify(json)
const array = (...values: string[]) => ({ arrayValues: values.map((value) => ({ value })) })

describe('a read', () => {
  it('takes keys as array parameters of their type', () => {
    expect(read([by('id', 1, '9007199254740993'), by('email', "o'brien", '`; drop')])).toEqual([
      '(`id` in unnest(@p0) or `email` in unnest(@p1))',
      [{ type: 'ARRAY', arrayType: { type: 'INT64' } }, array('1', '9007199254740993')],
      [strings, array("o'brien", '`; drop')],
    ])
  })

  it('gives ASCII letters alone one case on both sides, and takes off outer blanks', () => {
    const field = { path: ['email'], caseInsensitive: true, trimmed: true }
    const letters = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'"
    expect(read([{ fields: [field], values: [['MAR\u212a@X', 'mar\u212a@x']] }])).toEqual([
      `translate(trim(\`email\`, ' \\t\\r\\n'), ${letters}) in unnest(@p0)`,
      [strings, array('mar\u212a@x')],
    ])
  })

  it('names members of a STRUCT, and unnests what is a list', () => {
    expect(read([by('home.city', 'Rome')])[0]).toBe('`home`.`city` in unnest(@p0)')
    expect(read([by('home.phones', '1')])[0]).toBe(
      'exists (select 1 from unnest(`home`.`phones`) as `element_0` where `element_0` in unnest(@p0))',
    )
    expect(read([by('home.nothing', '1')])[0]).toBeUndefined()
  })

  it('has names inside of documents as parameters, quoted where they need it', () => {
    const [where, ...parameters] = read([by('data.name', 'x')])
    expect(where).not.toContain('name')
    expect(parameters).toContainEqual([{ type: 'STRING' }, { value: '$.name' }])
    const odd = { fields: [{ path: ['data', 'odd.$"name'] }], values: [['x']] }
    expect(read([odd])).toContainEqual([{ type: 'STRING' }, { value: '$."odd.$\\"name"' }])
  })

  it('escapes nothing but quotes in such a name, and says which name has no path', () => {
    const named = (name: string) => read([{ fields: [{ path: ['data', name] }], values: [['x']] }])
    for (const [name, path] of [
      ['a\\b', '$."a\\b"'],
      ['a\nb', '$."a\nb"'],
      ['a\\\\"', '$."a\\\\\\""'],
    ] as const) {
      expect(named(name)).toContainEqual([{ type: 'STRING' }, { value: path }])
    }
    for (const name of ['a\\', 'a\\"b']) expect(() => named(name)).toThrow('BigQuery has no path to the member')
  })

  it('looks into lists of lists inside of a document', () => {
    // of the document, and of its member
    expect(String(read([by('data.name', 'x')])[0]).match(/unnest\(if\(/g)).toHaveLength(4)
  })

  it('finds what is no number, which equals nothing', () => {
    const score: LiveColumn = { name: 'score', type: typeOf({ type: 'FLOAT' }) }
    const id = table.columns.get('id')!
    const other = { ...table, columns: new Map([score, id].map((column) => [column.name, column])) }
    const reading = (...anyOf: Read['anyOf']) =>
      compileRead({ collection: 'people', columns: ['score'], anyOf }, other, bigqueryDialect())?.sql.split(
        ' where ',
      )[1]
    expect(reading(by('score', 1, 'Infinity'))).toBe('`score` in unnest(@p0)')
    expect(reading(by('score', 1, 'NaN'))).toBe('(`score` in unnest(@p0) or is_nan(`score`))')
    const pairs = {
      fields: [{ path: ['score'] }, { path: ['id'] }],
      values: [
        ['NaN', 2],
        [1, 2],
      ],
    }
    const counted = compileCountEach(pairs, other, bigqueryDialect())?.statement.sql
    expect(counted).toContain(
      'where `score` is not distinct from `habeas_tuple`.`f1` and `id` = `habeas_tuple`.`f2` and',
    )
    const empty = { collection: 'people', anyOf: [by('id', 1)], empty: [{ path: ['score'], placeholders: ['NaN'] }] }
    expect(compileCount([empty], () => other, bigqueryDialect())?.statement.sql).toContain('or is_nan(`score`)')
  })

  it('has no statement where no row can hold a key', () => {
    expect(read([by('id', 'no number', '1.5', '99999999999999999999')])).toEqual([undefined])
  })

  it('looks behind a collation that compares loosely', () => {
    const loose = { name: 'email', type: typeOf({ type: 'STRING', collation: 'und:ci' }) }
    const other = { ...table, columns: new Map([['email', loose]]) }
    const read = { collection: 'people', columns: ['email'], anyOf: [by('email', 'x')] }
    expect(compileRead(read, other, bigqueryDialect())?.sql).toMatch(/where collate\(`email`, ''\) in unnest\(@p0\)$/)
    // functions over regular expressions refuse a collation
    const empty = {
      collection: 'people',
      anyOf: [by('email', 'x')],
      empty: [{ path: ['email'], placeholders: ['-', 0] }],
    }
    const counted = compileCount([empty], () => other, bigqueryDialect())?.statement.sql
    expect(counted).toContain("regexp_contains(collate(`email`, ''), ")
    expect(counted?.replaceAll("collate(`email`, '')", '')).not.toMatch(/\w\(`email`/)
  })
})

describe('a count', () => {
  it('is one statement for all questions', () => {
    const counts = [
      { collection: 'people', anyOf: [by('id', 1)], noneOf: [by('email', 'x')] },
      { collection: 'people', anyOf: [by('id', 2)] },
    ]
    expect(compileCount(counts, () => table, bigqueryDialect())?.statement.sql).toBe(
      'select (select count(*) from `acme`.`shop`.`people` where `id` in unnest(@p0) and case when `email` in unnest(@p1) then 0 else 1 end = 1), ' +
        '(select count(*) from `acme`.`shop`.`people` where `id` in unnest(@p2))',
    )
  })

  it('of each tuple is as loose as a collation, also of the key that is referred to', () => {
    const text = (name: string, collation?: string): LiveColumn => ({
      name,
      type: typeOf({ type: 'STRING', ...(collation !== undefined && { collation }) }),
    })
    const [email, id] = [text('email', 'und:ci'), text('id')]
    const loose = { ...table, columns: new Map([email, id].map((column) => [column.name, column])) }
    const where = (group: KeyGroup, to?: readonly LiveColumn[]) =>
      compileCountEach(group, loose, bigqueryDialect(), to)?.statement.sql.replace(/.* where | group by 1$/g, '')
    expect(where(by('email', 'A@x'))).toBe('`email` = `habeas_tuple`.`f1`')
    expect(where(by('email', 'A@x'), [id])).toBe('`email` = `habeas_tuple`.`f1`')
    expect(where(by('id', 'a'), [email])).toBe("collate(`id`, 'und:ci') = `habeas_tuple`.`f1`")
    const narrowed = { ...by('id', 'a'), when: [{ path: ['email'], equals: 'x' }] }
    expect(where(narrowed)).toBe('`id` = `habeas_tuple`.`f1` and `id` in unnest(@p1) and (`email` = @p2)')
    const exact = { ...by('email', 'a'), fields: [{ path: ['email'], caseInsensitive: true }] }
    expect(where(exact)).toContain("translate(collate(`email`, ''), ")
  })

  it('of each tuple joins them as one list of STRUCTs', () => {
    const names = parameterNames()
    const compiled = compileCountEach(by('id', 1, 2), table, bigqueryDialect(names))
    expect(compiled?.statement.sql).toBe(
      'select `habeas_tuple`.`f0` as `habeas_position`, count(*) as `habeas_rows` from `acme`.`shop`.`people`, unnest(@p0) as `habeas_tuple` ' +
        'where `id` = `habeas_tuple`.`f1` and `id` in unnest(@p1) group by 1',
    )
  })
})

function script(change: Partial<Erase>) {
  const erase: Erase = {
    collection: 'people',
    key: ['id'],
    keys: [[1, 2]],
    anyOf: [by('email', 'x')],
    set: 'delete',
    ...change,
  }
  const { query, parameters } = writeScript(erase, { own: table, unchanged: new Map(), pointers: new Map() }, false)
  return { lines: query.split('\n'), parameters }
}

const path = '`acme`.`shop`.`people`'
const touched = (rows: number) => `select if(@@row_count > ${rows}, error('habeas:ambiguous_rows'), 0);`

describe('a batch', () => {
  it('deletes by keys and by what rows must hold', () => {
    expect(script({}).lines).toEqual([
      'begin transaction;',
      `select if((select count(*) from ${path} where \`id\` in unnest(@p0)) > 2, error('habeas:ambiguous_rows'), 0);`,
      `delete from ${path} where \`id\` in unnest(@p0) and \`email\` in unnest(@p1);`,
      touched(2),
      'commit transaction;',
    ])
  })

  it('leaves null as it is', () => {
    expect(script({ set: [{ column: 'email', to: 'masked' }] }).lines[2]).toBe(
      `update ${path} set \`email\` = case when \`email\` is null then null else @p1 end where \`id\` in unnest(@p0) and \`email\` in unnest(@p2);`,
    )
  })

  it('has one value a row beside the table', () => {
    const { lines, parameters } = script({ set: [{ column: 'email', toEach: ['a', null] }] })
    expect(lines[2]).toBe(
      `update ${path} set \`email\` = case when \`email\` is null then null else \`batch_1\` end ` +
        'from (select `row`.`f0` as `batch_0`, `row`.`f1` as `batch_1` from unnest(@p1) as `row`) as `batch` ' +
        'where `id` = `batch_0` and `id` in unnest(@p0) and case when `batch_0` is not null then `email` in unnest(@p2) end;',
    )
    expect(parameters[1]?.parameterValue.arrayValues).toEqual([
      { structValues: { f0: { value: '1' }, f1: { value: 'a' } } },
      { structValues: { f0: { value: '2' }, f1: { value: null } } },
    ])
  })

  it('has names beside the table that differ from its own in more than case', () => {
    const odd = columns.map((column) => (column.name === 'email' ? { ...column, name: 'Batch_0' } : column))
    const named = { path: ['acme', 'shop', 'Batch'], columns: new Map(odd.map((column) => [column.name, column])) }
    const read = {
      collection: 'Batch',
      columns: [],
      anyOf: [
        {
          ...by('id', 1),
          fields: [{ path: ['id'] }, { path: ['Batch_0'] }],
          values: [
            [1, 2],
            ['a', 'b'],
          ],
        },
      ],
    }
    expect(compileRead(read, named, bigqueryDialect())?.sql).toContain('`Batch_0` = `batch___1`')
  })

  it('names rows without a key by what they hold, null being equal to null', () => {
    const { lines } = script({ key: ['id', 'email'], keys: [[1], [null]], rows: 1 })
    expect(lines[1]).toContain('<> 1, error')
    expect(lines[2]).toBe(
      `delete from ${path} where exists (select 1 from (select \`row\`.\`f0\` as \`batch_0\`, \`row\`.\`f1\` as \`batch_1\` from unnest(@p1) as \`row\`) as \`batch\` ` +
        'where (to_json_string(struct(`id` as `f0`, `email` as `f1`))) = (to_json_string(struct(`batch_0` as `f0`, `batch_1` as `f1`))) and `email` in unnest(@p2));',
    )
  })

  it('has a STRUCT of a key as an array of one, and of none where it is NULL, and zeros without a sign', () => {
    const home = { city: 'Rome', phones: [] }
    const names = parameterNames()
    const floats = ['home', 'score'].map((name): [string, LiveColumn] => [
      name,
      name === 'home' ? table.columns.get(name)! : { name, type: typeOf({ type: 'FLOAT' }) },
    ])
    const keys: Erase = {
      ...{
        collection: 'people',
        key: ['home', 'score'],
        keys: [
          [home, null],
          [-0, 1],
        ],
        rows: 2,
        set: 'delete',
      },
      anyOf: [{ fields: [{ path: ['score'] }], values: [[1]] }],
    }
    const { holders } = compileErase(keys, { ...table, columns: new Map(floats) }, bigqueryDialect(names))
    const [own, key] = ['`home` as `f0`, `score` as `f1`', '`batch_0`[safe_offset(0)] as `f0`, `batch_1` as `f1`']
    const plain = (fields: string) => `regexp_replace(to_json_string(struct(${fields})), @p1, @p2)`
    expect(holders?.sql).toContain(`where (${plain(own)}) = (${plain(key)})`)
    const rows = names.all()[0]!.parameterValue.arrayValues!.map(({ structValues }) => structValues!['f0'])
    expect(rows.map((row) => row?.arrayValues?.length)).toEqual([1, 0])
    const [pattern, by] = names
      .all()
      .slice(1, 3)
      .map(({ parameterValue }) => String(parameterValue.value))
    const text = '{"a":-0.0,"b":[-0,-0.0,1.0,10],"c":"-0.0"}'
    const replaced = text.replaceAll(new RegExp(pattern!, 'g'), by!.replaceAll(/\\(\d)/g, '$$$1'))
    expect(replaced).toBe('{"a":0,"b":[0,0,1,10],"c":"-0.0"}')
  })

  it('writes members of a document by quoted paths, each while it is what it was', () => {
    const was = { 'odd.$"name': 'x', name: 'y' }
    const { lines, parameters } = script({
      set: [{ column: 'data', toEach: [{ ...was, 'odd.$"name': '$email' }, was], was: [was, was] }],
    })
    expect(lines[2]).toContain("wide_number_mode => 'round'")
    expect(lines[2]).toMatch(
      /json_set\(`data`, (@p\d+), if\(.*, parse_json\(`batch_2`\), ifnull\(json_query\(`data`, \1\), parse_json\('null'\)\)\), create_if_missing => false\)/,
    )
    const values = parameters.map(({ parameterValue }) => parameterValue.value)
    expect(values).toContain('$."odd.$\\"name"')
    expect(lines[2]).not.toContain('odd')
  })

  it('builds a STRUCT anew, with lists as they were', () => {
    const was = { city: 'Rome', phones: ['1', '2'] }
    const set = [{ column: 'home', toEach: [{ city: 'masked', phones: ['1', 'x'] }], was: [was] }]
    const { lines } = script({ keys: [[1]], set })
    expect(lines[2]).toContain(
      'set `home` = if(`home` is null, null, struct(' +
        'if(to_json_string(`home`.`city`) = to_json_string(`batch_1`), `batch_2`, `home`.`city`) as `city`, ' +
        'if(to_json_string(`home`.`phones`) = to_json_string(`batch_3`), `batch_4`, `home`.`phones`) as `phones`))',
    )
  })

  it('writes a list of documents whole, while it is what it was, whatever its texts may stand for', () => {
    const column: LiveColumn = { name: 'events', type: typeOf({ type: 'JSON', mode: 'REPEATED' }) }
    const other = { ...table, columns: new Map(table.columns).set(column.name, column) }
    const [keep, order] = [{ keep: 2 }, '12345678901234567890']
    const was = [{ email: 'x', order }, keep]
    for (const masked of [{ email: null, order }, { email: 'masked', order }, { order }]) {
      const set = [{ column: 'events', was: [was], toEach: [[masked, keep]] }]
      const erase = { collection: 'people', key: ['id'], keys: [[1]], anyOf: [by('id', 1)], set }
      const script = writeScript(erase, { own: other, unchanged: new Map(), pointers: new Map() }, false)
      // 1 and 1.0 are the same
      const text = (column: string) => `regexp_replace\\(to_json_string\\(\`${column}\`\\), @p1, @p2\\)`
      expect(script.query).toMatch(
        new RegExp(`set \`events\` = if\\(${text('events')} = ${text('batch_1')}, \`batch_2\`, \`events\`\\)`),
      )
      const isRows = ({ parameterType }: NamedParameter) => parameterType.arrayType?.type === 'STRUCT'
      const { f1, f2 } = script.parameters.find(isRows)!.parameterValue.arrayValues![0]!.structValues!
      expect([f1, f2]).toEqual([array(...was.map(toText)), array(toText(masked), toText(keep))])
    }
  })

  it('finds a row by a STRUCT with documents in it, as it was read', () => {
    const members = [
      { name: 'at', type: 'STRING' },
      { name: 'data', type: 'JSON' },
    ]
    const column: LiveColumn = { name: 'events', type: typeOf({ type: 'RECORD', mode: 'REPEATED', fields: members }) }
    const other = { ...table, columns: new Map([[column.name, column]]) }
    const values = [[[{ at: '1.0', data: { n: 10 } }]]]
    const anyOf = [{ fields: [{ path: ['events'] }], values, exact: true as const }]
    const read = compileRead({ collection: 'people', columns: [], anyOf }, other, bigqueryDialect())
    expect(read?.sql).toMatch(
      /where \(\(regexp_replace\(to_json_string\(struct\(`events` as `f0`\)\), @p\d, @p\d\)\) in /,
    )
  })

  it('never writes what is meant for one element, or for several, as the list', () => {
    const column: LiveColumn = { name: 'events', type: typeOf({ type: 'JSON', mode: 'REPEATED' }) }
    const writeOf = (at: number) => ({ path: [at, 'email'], to: [null] })
    for (const writes of [[writeOf(0)], [writeOf(0), writeOf(1)], []]) {
      const members = [{ path: [], was: [[{ email: 'x' }, { email: 'y' }]], writes }]
      const written = () => bigqueryShapes.members(column, members, table)
      expect(written).toThrow(expect.objectContaining({ details: { reason: 'refused', column: 'events' } }))
    }
  })

  it('reads and writes ranges and intervals in the text that they are compared in', () => {
    const range = { name: 'booked', type: typeOf({ type: 'RANGE', rangeElementType: { type: 'TIMESTAMP' } }) }
    const interval = { name: 'took', type: typeOf({ type: 'INTERVAL' }) }
    const columns: LiveColumn[] = [range, interval]
    const other = { ...table, columns: new Map(columns.map((column) => [column.name, column])) }
    const text = '[2020-01-01 00:00:00+00, UNBOUNDED)'
    const names = { columns: ['booked', 'took'], anyOf: [by('booked', text)] }
    expect(compileRead({ collection: 'people', ...names }, other, bigqueryDialect())?.sql).toBe(
      'select cast(`booked` as string), cast(`took` as string) from `acme`.`shop`.`people` where cast(`booked` as string) in unnest(@p0)',
    )
    const set = names.columns.map((column) => ({ column, toEach: [null] }))
    const erase = { collection: 'people', key: ['booked'], keys: [[text]], anyOf: names.anyOf, set }
    const { query } = writeScript(erase, { own: other, unchanged: new Map(), pointers: new Map() }, false)
    expect(query).toMatch(/cast\(`batch_\d` as RANGE<TIMESTAMP>\) end, .*cast\(`batch_\d` as INTERVAL\) end/)
  })

  it('escapes names, which no table can have', () => {
    const column = { name: 'a`; drop \\', type: typeOf({ type: 'STRING' }) }
    const other = { ...table, columns: new Map([[column.name, column]]) }
    const read = { collection: 'people', columns: [], anyOf: [{ fields: [{ path: [column.name] }], values: [['x']] }] }
    expect(compileRead(read, other, bigqueryDialect())?.sql).toContain('where `a\\`; drop \\\\` in unnest(@p0)')
  })
})
