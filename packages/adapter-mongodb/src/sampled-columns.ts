import type { Column, ValueKind } from '@habeas/core'
import { Binary, Decimal128, type Document, Double, Int32, Long, ObjectId } from 'mongodb'
import { isDocument } from './stored-document.js'

/** BSON's names of the types that have a kind. */
const kinds: Readonly<Record<string, ValueKind>> = {
  int: 'integer',
  long: 'integer',
  double: 'float',
  decimal: 'decimal',
  number: 'decimal',
  string: 'string',
  bool: 'boolean',
  date: 'timestamp',
  objectId: 'object_id',
  uuid: 'uuid',
  object: 'object',
}

/** What a validator says of a column. */
interface ColumnRule {
  readonly types: readonly string[]
  readonly required: boolean
  /** The schema of its members, or of those of its elements. */
  readonly inner: Document
  readonly length?: number
  readonly values?: readonly string[]
}

/** The columns of a collection, and what each is known from. */
export interface Columns {
  readonly columns: readonly Column[]
  /** True where the validator allows no other columns. */
  readonly closed: boolean
}

/** The columns that a validator names, then those that documents of a sample hold besides. */
export function columnsOf(validator: unknown, sample: readonly Document[]): Columns {
  const schema = schemaOf(validator)
  const columns = columnsIn(schema, sample, ['_id'])
  return { columns, closed: schema['additionalProperties'] === false && !isDocument(schema['patternProperties']) }
}

/** An object with more members is taken for a map, whose keys are data. */
const mostMembers = 100

/** A text that is an e-mail address and nothing else, and what stands for one in an outline. */
const addressForm = /^\s*[^\s@<>,;]{1,64}@[^\s@<>,;]{1,255}\.[^\s@<>,;.]{2,63}\s*$/
const anAddress = '@'

/** Names that are ids of people or of things, and not words of an application. */
const idForm = /^[0-9a-f]{24}$|^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$|@/i
const isMap = (names: readonly string[]): boolean =>
  names.length > mostMembers || names.some((name) => idForm.test(name)) || names.every((name) => /^\+?\d+$/.test(name))

/** Whether a validator says of any member that it is encrypted before it is stored. */
export function encrypts(validator: unknown): boolean {
  const isEncrypted = (rule: unknown): boolean => {
    if (!isDocument(rule)) return false
    const { encrypt, encryptMetadata, properties, items } = rule
    const inner = [...(isDocument(properties) ? Object.values(properties) : []), ...[items ?? []].flat()]
    return isDocument(encrypt) || isDocument(encryptMetadata) || inner.some(isEncrypted)
  }
  return isEncrypted(schemaOf(validator))
}

/** Whether a stored value is encrypted, or a member or an element in it. */
export function isEncrypted(held: unknown): boolean {
  if (Array.isArray(held)) return held.some(isEncrypted)
  return isDocument(held) ? Object.values(held).some(isEncrypted) : typeOf(held) === 'encrypted'
}

/**
 * The value with the types and the names of its members, and without its data. Lists keep one scalar of each type, and
 * all of their documents, which are counted. Of a text stays whether it is an e-mail address.
 */
export function outlineOf(held: unknown): unknown {
  if (typeof held === 'string') return addressForm.test(held) ? anAddress : ''
  if (held instanceof Binary) return new Binary(undefined, held.sub_type)
  if (Array.isArray(held)) {
    const types = new Set<string>()
    const isNew = (type: string) => type === 'object' || type === 'array' || !types.has(type)
    const sort = (element: unknown) => (element === anAddress ? anAddress : typeOf(element))
    return held.map(outlineOf).filter((element) => isNew(sort(element)) && types.add(sort(element)))
  }
  if (!isDocument(held)) return held
  return Object.fromEntries(Object.entries(held).map(([name, member]) => [name, outlineOf(member)]))
}

function columnsIn(schema: Document, sample: readonly Document[], always: readonly string[] = []): Column[] {
  const properties = isDocument(schema['properties']) ? schema['properties'] : {}
  const required = new Set<unknown>(Array.isArray(schema['required']) ? schema['required'] : [])
  const rules = new Map(Object.entries(properties).map(([name, rule]) => [name, ruleOf(rule, required.has(name))]))
  const held = new Map<string, unknown[]>([...always, ...rules.keys()].map((name) => [name, []]))
  for (const document of sample) {
    for (const [name, value] of Object.entries(document)) {
      const values = held.get(name)
      if (values) values.push(value)
      else held.set(name, [value])
    }
  }
  return [...held].map(([name, values]) => columnOf(name, rules.get(name), values, sample.length))
}

function schemaOf(validator: unknown): Document {
  const schema = isDocument(validator) ? validator['$jsonSchema'] : undefined
  return isDocument(schema) ? schema : {}
}

function ruleOf(rule: unknown, required: boolean): ColumnRule {
  if (!isDocument(rule)) return { types: [], required, inner: {} }
  const { bsonType, type, maxLength, enum: values, items } = rule
  const types = [bsonType ?? (type === 'boolean' ? 'bool' : type) ?? []].flat().map(String)
  const isText = Array.isArray(values) && values.every((value) => typeof value === 'string')
  return {
    types,
    required,
    inner: isDocument(items) ? items : rule,
    ...(Number.isSafeInteger(Number(maxLength ?? Number.NaN)) && { length: Number(maxLength) }),
    ...(isText && { values: values as string[] }),
  }
}

/** The column with these values in a sample of so many documents. */
function columnOf(name: string, rule: ColumnRule | undefined, held: readonly unknown[], documents: number): Column {
  const found = new Set(held.map(typeOf).filter((type) => type !== 'null'))
  const ruled = rule?.types.filter((type) => type !== 'null' && type !== 'undefined') ?? []
  const isUuid = ruled.length === 1 && ruled[0] === 'binData' && found.size === 1 && found.has('uuid')
  const types = ruled.length === 0 || isUuid ? [...found] : ruled
  // What other documents hold in place of a list counts as its only element.
  const isList = types.includes('array')
  const inLists = held.filter((each) => each !== null).flat()
  const elements = isList ? [...new Set(inLists.map(typeOf))] : types
  const kind = kindOf(elements.filter((type) => type !== 'null'))
  const texts = inLists.filter((each) => typeof each === 'string')
  const holdsAddresses = texts.length > 0 && texts.filter((each) => each === anAddress).length * 2 > texts.length
  const documentsIn = (held.flat(Number.POSITIVE_INFINITY) as unknown[]).filter(isDocument)
  const members = documentsIn.length > 0 || kind === 'object' ? membersOf(rule?.inner ?? {}, documentsIn) : []
  const isNullable = rule ? !rule.required || rule.types.includes('null') || rule.types.length === 0 : true
  return {
    name,
    type:
      ruled.length > 0
        ? shownTypes(types)
        : `${shownTypes(types, elements)}, in ${held.length} of ${documents} documents`,
    ...(kind !== undefined && { kind }),
    ...(isList && { array: true as const }),
    ...(isList && types.includes('object') && { orObject: true as const }),
    ...(members.length > 0 && { members }),
    ...(holdsAddresses && { holds: 'email' as const }),
    nullable: name !== '_id' && isNullable,
    ...(rule?.length !== undefined && { length: rule.length }),
    ...(rule?.values !== undefined && { values: rule.values }),
  }
}

/**
 * The members that a validator names, and those of all documents in the sample, unless these are keys of a map. A text beside them
 * takes nothing from what they hold of people.
 */
function membersOf(schema: Document, documents: readonly Document[]): readonly Column[] {
  return columnsIn(schema, isMap([...new Set(documents.flatMap(Object.keys))]) ? [] : documents)
}

/** Values of different kinds among these are compared by their texts, and a key is looked for as each of them. */
const comparedAsText = new Set<ValueKind | undefined>(['string', 'object_id', 'uuid', 'integer', 'decimal', 'float'])

/** One kind for all values of these types. Undefined where their texts alone would not tell them apart. */
function kindOf(types: readonly string[]): ValueKind | undefined {
  const all = new Set(types.map((type) => kinds[type]))
  if (all.size === 1) return [...all][0]
  const isNumeric = [...all].every((kind) => kind === 'integer' || kind === 'decimal' || kind === 'float')
  if (all.size > 0 && isNumeric)
    return types.some((type) => type === 'decimal' || type === 'long') ? 'decimal' : 'float'
  if (all.size > 0 && [...all].every((kind) => comparedAsText.has(kind))) return 'string'
  const isStructured = types.length > 0 && types.every((type) => type === 'object' || type === 'array')
  return isStructured ? 'object' : undefined
}

/** For people: the types, and those of elements. */
function shownTypes(types: readonly string[], elements: readonly string[] = []): string {
  const names = types.length === 0 ? ['null'] : types.toSorted()
  const inside = elements.filter((type) => names.length === 1 || !names.includes(type)).toSorted()
  return names
    .map((name) => (name === 'array' && inside.length > 0 ? `array of ${inside.join(' or ')}` : name))
    .join(' or ')
}

/** BSON's name of the type of a value. A UUID is not one for BSON, and is one here. */
function typeOf(held: unknown): string {
  if (held === null || held === undefined) return 'null'
  if (typeof held === 'string') return 'string'
  if (typeof held === 'boolean') return 'bool'
  if (Array.isArray(held)) return 'array'
  if (held instanceof Int32) return 'int'
  if (held instanceof Long) return held._bsontype === 'Long' ? 'long' : 'timestamp'
  if (held instanceof Double) return 'double'
  if (held instanceof Decimal128) return 'decimal'
  if (held instanceof ObjectId) return 'objectId'
  if (held instanceof Date) return 'date'
  if (held instanceof Binary)
    return held.sub_type === Binary.SUBTYPE_UUID ? 'uuid' : held.sub_type === 6 ? 'encrypted' : 'binData'
  return isDocument(held) ? 'object' : ((held as { readonly _bsontype?: string })._bsontype ?? typeof held)
}
