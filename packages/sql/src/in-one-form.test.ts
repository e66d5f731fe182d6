import { MysqlQueryCompiler, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { compile } from './compile.js'
import type { Expression } from './erasing/sql-shapes.js'
import { inOneForm } from './in-one-form.js'

const compiled = (expression: Expression) => compile(expression, { createCompiler: () => new MysqlQueryCompiler() })
const values = ['1', '?', "it's"]

describe('inOneForm', () => {
  const forms: Readonly<Record<string, (value: Expression) => Expression>> = {
    'the value alone': (value) => sql`${value}`,
    'a cast': (value) => sql`cast(${value} as ${sql.raw('signed')})`,
    nested: (value) => sql`lower(convert(${sql`cast(${value} as binary)`} using tis620))`,
    'the value twice': (value) => sql`if(${value} = '', null, ${value})`,
    'an identifier as well': (value) => sql`${value} = ${sql.id('a?b')}`,
    'a parameter of its own': (value) => sql`replace(${value}, ${'?'}, '')`,
  }
  it.each(Object.entries(forms))('is the text that each value would make: %s', (_, form) => {
    expect(compiled(inOneForm(values, form))).toEqual(compiled(sql.join(values.map((value) => form(sql`${value}`)))))
  })

  it('takes one value, and many', () => {
    const cast = forms['a cast'] as (value: Expression) => Expression
    expect(compiled(inOneForm(['7'], cast))).toEqual({ sql: 'cast(? as signed)', parameters: ['7'] })
    const many = Array.from({ length: 60_000 }, (_, at) => String(at))
    expect(compiled(inOneForm(many, cast)).parameters).toEqual(many)
  })
})
