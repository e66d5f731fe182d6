import { describe, expect, it } from 'vitest'
import { typeColumn, typeValue } from './type-columns.js'

const columns = (names: string) =>
  names.split(' ').map((each) => {
    const [name, kind = 'string'] = each.split(':') as [string, 'string' | 'integer' | 'object' | undefined]
    return { name, kind }
  })

describe('the type column of an id', () => {
  it.each([
    ['owner_id', 'owner_type', 'owner_type'],
    ['ownerId', 'ownerType', 'ownerType'],
    ['bezug_id', 'bezug_typ', 'bezug_typ'],
    ['objekt_id', 'objekt_art', 'objekt_art'],
    ['source_id', 'source_table', 'source_table'],
    ['entity_id', 'entity before:object', 'entity'],
    ['record_id', 'table_name', 'table_name'],
    ['row_pk', 'tablename', 'tablename'],
    ['object_pk', 'model', 'model'],
    ['object_id', 'content_type_id:integer', 'content_type_id'],
  ])('%s beside %s', (name, others, type) => {
    expect(typeColumn(columns(`id:integer ${name} ${others}`), name)?.name).toBe(type)
  })

  it.each([
    ['customer_id', 'customer customer_name table_name'],
    ['subject_id', 'subject'],
    ['entity_id', 'entity:object'],
    ['owner_id', 'owner_type:integer'],
    ['type', 'kind'],
    ['cid', 'cart'],
    ['paid', 'patype'],
    ['p_id', 'part'],
    ['person_id', 'persona_rt'],
  ])('%s beside %s: none', (name, others) => {
    expect(typeColumn(columns(`id:integer ${name} ${others}`), name)).toBeUndefined()
  })
})

describe('the value by which it means a table', () => {
  it.each([
    [{ name: 'owner_type' }, 'order_lines', 'OrderLine'],
    [{ name: 'table_name' }, 'order_lines', 'order_lines'],
    [{ name: 'owner_type', values: ['order', 'order_line'] }, 'order_lines', 'order_line'],
    [{ name: 'owner_type', values: ['order'] }, 'order_lines', undefined],
  ])('%j: %s is %s', (type, table, value) => {
    expect(typeValue(type, table, ['order', 'line'])).toBe(value)
  })
})
