import type { Erase, KeyGroup, Value } from '@habeas/core'
import { compileCount, compileCountEach, compileErase, compilePointers, compileRead, type SqlTable } from '@habeas/sql'
import { describe, expect, it } from 'vitest'
import { snowflakeDialect } from '../src/dialect.js'
import { type ListedSnowflakeColumn, liveColumn, type SnowflakeColumn } from '../src/live-column.js'

const column = (name: string, type: string, more: Partial<ListedSnowflakeColumn> = {}): SnowflakeColumn => {
  const listed = { collection: 'PEOPLE', name, position: 1, type, nullable: true, scale: null, collation: null }
  return { name, ...liveColumn({ ...listed, ...more }) }
}
const columns = [
  column('ID', 'NUMBER', { scale: 0 }),
  column('EMAIL', 'TEXT'),
  column('na"me', 'TEXT', { collation: 'en-ci' }),
  column('SPENT', 'NUMBER', { scale: 2 }),
  column('AT', 'TIMESTAMP_TZ'),
  column('SEAL', 'BINARY'),
  column('DATA', 'VARIANT'),
  column('TAGS', 'ARRAY'),
]
const table: SqlTable<SnowflakeColumn> = {
  path: ['SHOP', 'PUBLIC', 'PEOPLE'],
  columns: new Map(columns.map((each) => [each.name, each])),
}

const holding = (name: string, ...values: Value[]): KeyGroup => ({ fields: [{ path: [name] }], values: [values] })
const tuples = (names: string[], ...rows: Value[][]): KeyGroup => ({
  fields: names.map((name) => ({ path: [name] })),
  values: names.map((_, part) => rows.map((row) => row[part]!)),
})
const reading = (...anyOf: KeyGroup[]) =>
  compileRead({ collection: 'PEOPLE', columns: ['ID'], anyOf }, table, snowflakeDialect)
const condition = (...anyOf: KeyGroup[]) => {
  const { sql, parameters } = reading(...anyOf)!
  return [sql.replace('select "ID" from "SHOP"."PUBLIC"."PEOPLE" where ', ''), parameters]
}
const erasing = (change: Partial<Erase>) => {
  const erase: Erase = {
    ...{ collection: 'PEOPLE', key: ['ID'], keys: [[1, 2]], anyOf: [holding('EMAIL', 'a')] },
    ...{ set: [{ column: 'EMAIL', to: 'x' }] },
    ...change,
  }
  const { holders, statements } = compileErase(erase, table, snowflakeDialect)
  return [...(holders ? [holders] : []), ...statements]
}

const inForm = (json: string) =>
  `replace(to_json(parse_json(${json})), '-0.000000000000000e+00', '0.000000000000000e+00')`

/** Every number of a document with an exponent. */
const form = (document: string) =>
  inForm(
    `replace(regexp_replace(replace(replace(regexp_replace(to_json(${document}), ?, ?), ?, '"'), ?, 'null'), ?, ?), ?, 'e0')`,
  )

describe('the statement of a read', () => {
  it('names keys in a list of parameters, each in the type of its column', () => {
    expect(condition(holding('ID', 1, '2'))).toEqual(['"ID" in (?, ?)', [1, 2]])
    expect(condition(holding('ID', '12345678901234567890'))).toEqual([
      '"ID" in (cast(? as number(38, 0)))',
      ['12345678901234567890'],
    ])
    expect(condition(holding('EMAIL', "o'brien", '\\'))).toEqual(['"EMAIL" in (?, ?)', ["o'brien", '\\']])
    expect(condition(holding('SPENT', '1.50', 2))).toEqual(['"SPENT" in (cast(? as number(38, 2)), ?)', ['1.5', 2]])
    expect(condition(holding('AT', '2024-01-01T01:00:00.000000001+01:00'))).toEqual([
      '"AT" in (cast(? as timestamp_tz))',
      ['2024-01-01 00:00:00.000000001'],
    ])
    expect(condition(holding('SEAL', 'AP8='))).toEqual([`"SEAL" in (to_binary(?, 'BASE64'))`, ['AP8=']])
  })

  it('finds what is no number, which the server takes for equal to itself', () => {
    const score = column('SCORE', 'FLOAT')
    const other = { ...table, columns: new Map([['SCORE', score]]) }
    const read = { collection: 'PEOPLE', columns: ['SCORE'], anyOf: [holding('SCORE', 'NaN', '-Infinity', 'Infinity')] }
    expect(compileRead(read, other, snowflakeDialect)).toEqual({
      sql: 'select "SCORE" from "SHOP"."PUBLIC"."PEOPLE" where "SCORE" in (cast(? as float), cast(? as float), cast(? as float))',
      parameters: ['NaN', '-inf', 'inf'],
    })
    const parse = snowflakeDialect.parserOf!(0, score)!
    expect(['NaN', 'inf', '-inf', '1.5'].map(parse)).toEqual(['NaN', 'Infinity', '-Infinity', 1.5])
  })

  it('compares exactly where a collation of the column would not', () => {
    expect(condition(holding('na"me', 'a'))).toEqual([`collate("na""me", '') in (?)`, ['a']])
  })

  it('holds no subquery, which the service takes neither beside OR nor inside of a function', () => {
    const pairs = tuples(['ID', 'EMAIL'], [1, 'a'], [2, 'b'])
    expect(condition(pairs, holding('ID', 3))).toEqual([
      '(("ID" in (?, ?) and "EMAIL" in (?, ?) and ("ID", "EMAIL") in ((?, ?), (?, ?))) or "ID" in (?))',
      [1, 2, 'a', 'b', 1, 'a', 2, 'b', 3],
    ])
    const nulls: KeyGroup = { ...tuples(['ID', 'EMAIL'], [1, 'a'], [2, null]), exact: true }
    expect(condition(nulls, holding('ID', 3))[0]).toBe(
      `((coalesce("ID", 0), ("ID" is null), coalesce("EMAIL", ''), ("EMAIL" is null)) in ((?, false, ?, false), (?, false, '', true)) or "ID" in (?))`,
    )
  })

  const letters = "'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'"

  it('gives ASCII letters alone one case on both sides, and trims the column', () => {
    const folded: KeyGroup = { fields: [{ path: ['EMAIL'], caseInsensitive: true, trimmed: true }], values: [['A@x']] }
    expect(condition(folded)).toEqual([`translate(trim("EMAIL", ' \t\r\n'), ${letters}) in (?)`, ['a@x']])
    expect(condition({ ...folded, values: [['MAR\u212a@X']] })[1]).toEqual(['mar\u212a@x'])
  })

  it('asks nothing where no row can hold a key', () => {
    for (const [name, value] of [
      ['ID', 1.5],
      ['ID', 'x'],
      ['SPENT', '1.505'],
      ['SPENT', '1e37'],
      ['AT', '2024-02-30T00:00:00Z'],
      ['EMAIL', 'half \ud800'],
      ['SEAL', 'no base64!'],
    ] as const) {
      expect(reading(holding(name, value))).toBeUndefined()
    }
  })

  it('looks into documents by functions over lists, with the keys as one parameter', () => {
    const [sql, parameters] = condition({ fields: [{ path: ['DATA', "o'x\\"] }], values: [['5', 5, 'b']] })
    const flat = (list: string, made: string) =>
      `array_flatten(transform(${list}, element_ -> coalesce(to_array(${made}), array_construct())))`
    const whole = flat('to_array(cast("DATA" as variant))', 'element_')
    const values = flat(flat(whole, "get(as_object(element_), 'o''x\\\\')"), 'element_')
    expect(sql).toContain(`coalesce(arrays_overlap(transform(transform(${values}, element_ -> iff(startswith(`)
    expect(sql).toMatch(/, as_array\(parse_json\(\?\)\)\), false\)$/)
    expect(parameters).toEqual(['["s5","n5","n5.000000000000000e+00","sb"]'])
    expect(condition({ fields: [{ path: ['TAGS'], kind: 'string' }], values: [['5', 7]] })[1]).toEqual(['["s5","s7"]'])
    expect(condition(holding('DATA', true, '1.50', 'half \ud800'))[1]).toEqual([
      '["ntrue","s1.50","n1.5","n1.500000000000000e+00"]',
    ])
  })

  it('finds a number in a document as the double and as the decimal that it may be there', () => {
    const forms = (value: Value) => JSON.parse(String((condition(holding('DATA', value))[1] as unknown[])[0]))
    expect(forms(1e20)).toEqual(['n100000000000000000000', 'n1.000000000000000e+20'])
    expect(forms(-12.5e-30)).toEqual([`n-0.${'0'.repeat(28)}125`, 'n-1.250000000000000e-29'])
    expect(forms(0)).toEqual(['n0', 'n0.000000000000000e+00', 'n-0.000000000000000e+00'])
    // a double shows 16 digits
    expect(forms('0.12345678901234567')).toEqual(['s0.12345678901234567', 'n0.12345678901234567'])
    expect(condition(holding('DATA', 1e20))[0]).not.toContain('number(')
  })

  it('compares whole documents with every number as a double, and those of many digits as they are', () => {
    const document = { n: [10, 0.5, -1e-7, '12345678901234567', '"1'] }
    const [sql, parameters] = condition({ ...holding('DATA', document), exact: true })
    expect(sql).toContain(`coalesce(nullif(${form('"DATA"')}, 'null'), '')`)
    expect(sql).toContain(`${inForm('?')}, false`)
    expect((parameters as unknown[]).filter((each) => String(each).startsWith('{'))).toEqual([
      '{"n":[10e0,0.5e0,-1e-7,"12345678901234567","\\"1"]}',
      '{"n":[10e0,0.5e0,-1e-7,12345678901234567,"\\"1"]}',
    ])
  })

  it('does the same with what lies inside of documents', () => {
    const field = { path: ['DATA', 'email'], caseInsensitive: true, trimmed: true }
    const [sql, parameters] = condition({ fields: [field], values: [['A@x', "b'"]] })
    expect(sql).toContain(`element_ -> translate(trim(to_varchar(element_), ' \t\r\n'), ${letters}))`)
    expect(sql).not.toContain('lower(')
    expect(parameters).toEqual(['["a@x","b\'"]'])
  })

  it('asks nothing for members of what is no document', () => {
    expect(reading({ fields: [{ path: ['EMAIL', 'domain'] }], values: [['a']] })).toBeUndefined()
  })

  it('has less than 1 MB, however many keys a count has', () => {
    const times = Array.from({ length: 2_000 }, (_, at) => `2024-01-01T00:00:00.${String(at).padStart(9, '0')}Z`)
    const anyOf = Array.from({ length: 12 }, () => holding('AT', ...times))
    const { statement } = compileCount([{ collection: 'PEOPLE', anyOf }], () => table, snowflakeDialect)!
    expect(statement.parameters.length).toBe(snowflakeDialect.mostParameters)
    expect(statement.sql.length).toBeLessThan(1_000_000)
  })
})

describe('the statement of counts', () => {
  it('is one, with a subquery that stands alone for each', () => {
    const counts = [
      { collection: 'PEOPLE', anyOf: [holding('ID', 1)], noneOf: [holding('EMAIL', 'a')] },
      { collection: 'PEOPLE', anyOf: [holding('ID', 2)], empty: [{ path: ['EMAIL'], placeholders: ['-', 0] }] },
    ]
    const compiled = compileCount(counts, () => table, snowflakeDialect)!
    expect(compiled.statement.sql.replace(/'[^']*\u3000[^']*'/u, 'BLANKS')).toBe(
      'select (select count(*) from "SHOP"."PUBLIC"."PEOPLE" where "ID" in (?) and case when "EMAIL" in (?) then 0 else 1 end = 1), (select count(*) from "SHOP"."PUBLIC"."PEOPLE" where "ID" in (?) and ("EMAIL" is null or translate("EMAIL", BLANKS, \'\') = \'\' or coalesce(try_cast("EMAIL" as double) in (cast(? as double)), false) or "EMAIL" in (?, ?)))',
    )
    expect(compiled.statement.parameters).toEqual([1, 'a', 2, '0', '-', '0'])
  })

  it('counts each tuple as loosely as a collation, also as that of the key that is referred to', () => {
    const where = (group: KeyGroup, ...to: string[]) => {
      const key = to.length > 0 ? to.map((name) => table.columns.get(name)!) : undefined
      const { statement } = compileCountEach(group, table, snowflakeDialect, key)!
      return statement.sql.replace(/.* as "batch" where | group by "batch_0"$/g, '')
    }
    expect(where(holding('na"me', 'A'))).toBe('"na""me" = "batch_1"')
    expect(where(holding('EMAIL', 'A'), 'na"me')).toBe(`collate("EMAIL", 'en-ci') = "batch_1"`)
    expect(where(holding('na"me', 'A'), 'EMAIL')).toBe('"na""me" = "batch_1"')
    const narrowed = { ...holding('EMAIL', 'a'), when: [{ path: ['na"me'], equals: 'x' }] }
    expect(where(narrowed)).toBe('"EMAIL" = "batch_1" and "na""me" in (?)')
    const folding: KeyGroup = { fields: [{ path: ['na"me'], caseInsensitive: true }], values: [['a']] }
    expect(where(folding)).toContain(`translate(collate("na""me", ''), `)
  })

  it('counts each tuple beside a table of them, which is one parameter', () => {
    const { statement } = compileCountEach(tuples(['ID', 'EMAIL'], [1, 'a'], [2, '"']), table, snowflakeDialect)!
    expect(statement).toEqual({
      sql: `select "batch_0", count(*) from "SHOP"."PUBLIC"."PEOPLE", (select cast(value[0]::varchar as number(38, 0)) as "batch_0", cast(value[1]::varchar as number(38, 0)) as "batch_1", value[2]::varchar as "batch_2" from table(flatten(input => parse_json(?)))) as "batch" where "ID" = "batch_1" and "EMAIL" = "batch_2" group by "batch_0"`,
      parameters: ['[["0","1","a"],["1","2","\\""]]'],
    })
  })
})

describe('a count of rows whose texts refer to numbers', () => {
  const numbers = ['integer'] as const
  const counting = (name: string) =>
    compileCountEach(holding(name, 42, '12345678901234567890'), table, snowflakeDialect, undefined, numbers)?.statement

  it('compares by value, as the server does in a join', () => {
    const beside = `(select cast(value[0]::varchar as number(38, 0)) as "batch_0", cast(value[1]::varchar as number(38, 1)) as "batch_1" from table(flatten(input => parse_json(?)))) as "batch"`
    expect(counting('EMAIL')).toEqual({
      sql: `select "batch_0", count(*) from "SHOP"."PUBLIC"."PEOPLE", ${beside} where try_cast("EMAIL" as number(38, 1)) = "batch_1" group by "batch_0"`,
      parameters: ['[["0","42"],["1","12345678901234567890"]]'],
    })
    expect(counting('na"me')?.sql).toContain('where try_cast("na""me" as number(38, 1)) = "batch_1"')
  })
})

describe('tuples with parts inside of documents', () => {
  const both: KeyGroup = {
    fields: [{ path: ['DATA', 'name'] }, { path: ['ID'] }],
    values: [
      ['Jane', 'John'],
      [1, 2],
    ],
  }

  it('are compared one by one where rows are counted', () => {
    const [read = ''] = condition(both) as [string]
    expect(read.match(/arrays_overlap/g)).toHaveLength(1)
    const { statement } = compileCount([{ collection: 'PEOPLE', anyOf: [both] }], () => table, snowflakeDialect)!
    expect(statement.sql).toMatch(
      /\(\(coalesce\(.*, false\) and "ID" in \(\?\)\) or \(coalesce\(.*\) and "ID" in \(\?\)\)\)/,
    )
    expect(statement.parameters.slice(-4)).toEqual(['["sJane"]', 1, '["sJohn"]', 2])
  })

  it('are counted beside a table of them', () => {
    const { statement } = compileCountEach(both, table, snowflakeDialect)!
    expect(statement.sql).toContain('as_array(parse_json("batch_1"))), false) and "ID" = "batch_2" group by "batch_0"')
    expect(statement.parameters.at(-1)).toBe(2)
    expect(statement.parameters).toContain('[["0","[\\"sJane\\"]","1"],["1","[\\"sJohn\\"]","2"]]')
  })
})

describe('the statements of an erasure', () => {
  it('count the rows first, since no key is enforced', () => {
    expect(erasing({}).map(({ sql }) => sql)).toEqual([
      'select count(*) from "SHOP"."PUBLIC"."PEOPLE" where "ID" in (?, ?)',
      'update "SHOP"."PUBLIC"."PEOPLE" set "EMAIL" = case when "EMAIL" is null then null else ? end where "ID" in (?, ?) and "EMAIL" in (?)',
    ])
    expect(erasing({ set: 'delete' })[1]?.sql).toBe(
      'delete from "SHOP"."PUBLIC"."PEOPLE" where "ID" in (?, ?) and "EMAIL" in (?)',
    )
  })

  it('take a value for each row from a table beside', () => {
    const [, update] = erasing({ set: [{ column: 'SPENT', toEach: [1, null] }] })
    expect(update).toEqual({
      sql: `update "SHOP"."PUBLIC"."PEOPLE" set "SPENT" = case when "SPENT" is null then null else "batch_1" end from (select cast(value[0]::varchar as number(38, 0)) as "batch_0", cast(value[1]::varchar as number(38, 2)) as "batch_1" from table(flatten(input => parse_json(?)))) as "batch" where "ID" = "batch_0" and "ID" in (?, ?) and case when "batch_0" is not null then "EMAIL" in (?) end`,
      parameters: ['[["1","1"],["2",null]]', 1, 2, 'a'],
    })
  })

  it('tell rows without a key apart by all they hold, null equal to null', () => {
    const [count, remove] = erasing({ key: ['ID', 'EMAIL'], keys: [[1], [null]], rows: 2, set: 'delete' })
    const beside = `(select cast(value[0]::varchar as number(38, 0)) as "batch_0", value[1]::varchar as "batch_1" from table(flatten(input => parse_json(?)))) as "batch" where equal_null("ID", "batch_0") and equal_null("EMAIL", "batch_1")`
    expect(count?.sql).toBe(`select count(*) from "SHOP"."PUBLIC"."PEOPLE", ${beside}`)
    expect(remove?.sql).toBe(`delete from "SHOP"."PUBLIC"."PEOPLE" using ${beside} and "EMAIL" in (?)`)
    expect(count?.parameters).toEqual(['[["1",null]]'])
  })

  it('write members of documents while they are what they were, and bind their names', () => {
    const was = [{ "o'x\\": 'a', home: { city: 'Rome' } }]
    const toEach = [{ "o'x\\": 'm', home: {} }]
    const [, update] = erasing({ keys: [[1]], set: [{ column: 'DATA', toEach, was }] })
    const held = 'cast("DATA" as variant)'
    const [odd, home] = [`get(as_object(${held}), ?)`, `get(as_object(${held}), ?)`]
    const city = `get(as_object(${home}), ?)`
    const first = `equal_null(${form(odd)}, "batch_1")`
    const second = `equal_null(${form(city)}, "batch_3")`
    const unlessObject = (document: string, written: string) =>
      `iff(as_object(${document}) is null, ${document}, cast(${written} as variant))`
    const without = `object_delete(as_object(${home}), ?)`
    const inHome = unlessObject(home, `object_insert(${without}, ?, iff(${second}, null, ${city}), true)`)
    const inserted = `object_insert(as_object(${held}), ?, iff(${first}, "batch_2", ${odd}), true)`
    const written = unlessObject(held, `object_insert(${inserted}, ?, ${inHome}, true)`)
    expect(update?.sql).toContain(`set "DATA" = case when ${first} or ${second} then ${written} else "DATA" end`)
    expect(update?.sql).toContain(`${inForm('value[1]::varchar')} as "batch_1"`)
    expect(update?.sql).not.toContain("o'x")
    expect(update?.parameters).toContain("o'x\\")
  })

  it('write elements of a list around which the list is what it was, between slices of it', () => {
    const [toEach, was] = [[['m', 'b', 'n', 'o', { d: 'm' }, 'f']], [['a', 'b', 'c', 'd', { d: 'e' }, 'f']]]
    const [, update] = erasing({ keys: [[1]], set: [{ column: 'TAGS', toEach, was }] })
    const held = 'cast("TAGS" as variant)'
    const list = `as_array(${held})`
    const parts = [
      'array_construct("batch_2")',
      `array_slice(${list}, 1, 2)`,
      'array_construct("batch_3")',
      'array_construct("batch_4")',
      `array_construct(cast(object_insert(as_object(get(${list}, 4)), ?, "batch_5", true) as variant))`,
      `array_slice(${list}, 5, array_size(${list}))`,
    ]
    const same = `equal_null(${form(held)}, "batch_1")`
    const written = `cast(array_flatten(array_construct(${parts.join(', ')})) as variant)`
    expect(update?.sql).toContain(`then cast(iff(${same}, ${written}, ${held}) as array) else "TAGS" end`)
  })

  it('lock nothing before they write', () => {
    const group = holding('ID', 1)
    const pointers = [{ count: { collection: 'PEOPLE', group }, most: [1] }]
    const erase = { collection: 'PEOPLE', key: ['ID'], keys: [[1]], anyOf: [group], set: 'delete', pointers } as const
    expect(compilePointers(erase, table, () => ({ table }), snowflakeDialect)).not.toHaveProperty('lock')
  })
})
