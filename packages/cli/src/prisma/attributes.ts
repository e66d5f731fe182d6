import type { Attr, Field, Value } from '@mrleebo/prisma-ast'

type Attributed = { readonly attributes?: readonly Attr[] | undefined }
type Argument = NonNullable<Attr['args']>[number]['value']

/** The attribute of that name, such as `@relation`, or `@db.Uuid` where the group is `db`. */
export function attributeOf({ attributes = [] }: Attributed, name: string, group?: string): Attr | undefined {
  return attributes.find((each) => each.name === name && each.group === group)
}

/** What a field or a model is called in the database. */
export function mappedName(block: Attributed & { readonly name: string }): string {
  return textOf(argumentOf(attributeOf(block, 'map'), 'name')) ?? block.name
}

/** An argument by its name. The first without a name is `first`. */
export function argumentOf(attribute: Attr | undefined, name: string, first = name): Value | undefined {
  const given = attribute?.args?.map(({ value }) => value) ?? []
  const named = given.find((value) => isPair(value) && value.key === name)
  if (isPair(named)) return named.value
  return name === first ? (given.find((value) => !isPair(value)) as Value | undefined) : undefined
}

export function textOf(value: Value | undefined): string | undefined {
  return typeof value === 'string' ? value.replace(/^"(.*)"$/s, '$1') : undefined
}

/** The fields that a key or a relation lists, without the order of each in the index. */
export function fieldNames(value: Value | undefined): readonly string[] {
  const listed = typeof value === 'object' && value !== null && 'args' in value ? value.args : []
  // a field with an order is a function of it, whatever the types of the parser say
  return (listed as readonly (string | { readonly name: string })[]).map((each) =>
    typeof each === 'string' ? each : each.name,
  )
}

export function typeOf({ fieldType }: Field): string {
  return typeof fieldType === 'string' ? fieldType : fieldType.name
}

function isPair(value: Argument | undefined): value is Extract<Argument, { type: 'keyValue' }> {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'keyValue'
}
