import { BSON, Code, type Document } from 'mongodb'

const promoted = { useBigInt64: true, bsonRegExp: true } as const
const kept = { promoteValues: false, promoteLongs: false, bsonRegExp: true } as const
type How = typeof promoted | typeof kept

/** BSON's numbers of the types that hold documents. */
const [documentType, listType, scopedCodeType] = [3, 4, 15]
const nameOfDBRef = Buffer.from('$ref\0')

/**
 * A document as it is stored. The decoder of the driver makes an object of a class of a DBRef, which forgets the order of
 * its members and splits the name of a collection at its dot. Here a DBRef is a document like any other.
 */
export function decodedDocument(stored: Uint8Array, keepsTypes: boolean): Document {
  return documentOf(stored, keepsTypes ? kept : promoted)
}

function documentOf(stored: Uint8Array, how: How): Document {
  return mayHoldDBRef(stored) ? Object.fromEntries(membersOf(stored, how)) : BSON.deserialize(stored, how)
}

function mayHoldDBRef({ buffer, byteOffset, length }: Uint8Array): boolean {
  return Buffer.from(buffer, byteOffset, length).includes(nameOfDBRef)
}

function membersOf(stored: Uint8Array, how: How): [string, unknown][] {
  const elements = [...BSON.onDemand.parseToElements(stored)]
  return elements.map(([type, nameAt, nameLength, at, length]) => {
    const name = Buffer.from(stored.subarray(nameAt, nameAt + nameLength)).toString()
    const value = stored.subarray(at, at + length)
    if (type === documentType) return [name, documentOf(value, how)]
    if (type === listType) return [name, membersOf(value, how).map(([, element]) => element)]
    const scalar = scalarOf(stored.subarray(nameAt - 1, at + length), how)
    return [name, type === scopedCodeType ? scoped(scalar as Code, value, how) : scalar]
  })
}

/** The value of an element: the decoder takes it as the only member of a document. */
function scalarOf(element: Uint8Array, how: How): unknown {
  const alone = Buffer.alloc(element.length + 5)
  alone.writeInt32LE(alone.length)
  alone.set(element, 4)
  return Object.values(BSON.deserialize(alone, how))[0]
}

/** Code with its scope, which follows two lengths and the text. */
function scoped({ code }: Code, value: Uint8Array, how: How): Code {
  const textLength = Buffer.from(value).readInt32LE(4)
  return new Code(code, documentOf(value.subarray(8 + textLength), how))
}
