import { BSON, type Document } from 'mongodb'

/** One message of the wire protocol: a command or its answer. */
export interface Message {
  readonly id: number
  readonly answers: number
  readonly document: Document
  /** Further sections of a command: lists of documents by name. */
  readonly sequences: Buffer
}

const opReply = 1
const opMsg = 2013
const decoding = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const

/** Splits a stream of bytes into messages. `rest` is the beginning of the next one. */
export function messagesIn(bytes: Buffer): { readonly frames: readonly Buffer[]; readonly rest: Buffer } {
  const frames: Buffer[] = []
  let rest = bytes
  while (rest.length >= 4 && rest.length >= rest.readInt32LE(0)) {
    const length = rest.readInt32LE(0)
    frames.push(rest.subarray(0, length))
    rest = rest.subarray(length)
  }
  return { frames, rest }
}

/** The message of a frame. Undefined for the first greeting of a driver, which has a form of its own. */
export function messageIn(frame: Buffer): Message | undefined {
  const operation = frame.readInt32LE(12)
  const [id, answers] = [frame.readInt32LE(4), frame.readInt32LE(8)]
  if (operation === opReply) {
    return { id, answers, document: BSON.deserialize(frame.subarray(36), decoding), sequences: Buffer.alloc(0) }
  }
  if (operation !== opMsg) return undefined
  let at = 20
  let document: Document = {}
  const sequences: Buffer[] = []
  while (at < frame.length) {
    const kind = frame[at]
    const size = frame.readInt32LE(at + 1)
    if (kind === 0) document = BSON.deserialize(frame.subarray(at + 1, at + 1 + size), decoding)
    else sequences.push(frame.subarray(at, at + 1 + size))
    at += 1 + size
  }
  return { id, answers, document, sequences: Buffer.concat(sequences) }
}

/** The further sections of a command, with each of their documents changed. */
export function changedSequences(sequences: Buffer, change: (document: Document) => Document): Buffer {
  const sections: Buffer[] = []
  for (let at = 0; at < sequences.length; ) {
    const end = at + 1 + sequences.readInt32LE(at + 1)
    const first = sequences.indexOf(0, at + 5) + 1
    const documents: Uint8Array[] = []
    for (let next = first; next < end; next += sequences.readInt32LE(next)) {
      const stored = sequences.subarray(next, next + sequences.readInt32LE(next))
      documents.push(BSON.serialize(change(BSON.deserialize(stored, decoding))))
    }
    const section = Buffer.concat([sequences.subarray(at, first), ...documents])
    section.writeInt32LE(section.length - 1, 1)
    sections.push(section)
    at = end
  }
  return Buffer.concat(sections)
}

/** Bytes of each document in the frame of a command. */
export function documentSizes(frame: Buffer): number[] {
  const sizes: number[] = []
  let at = 20
  while (at < frame.length) {
    const isList = frame[at] === 1
    const end = at + 1 + frame.readInt32LE(at + 1)
    let next = isList ? frame.indexOf(0, at + 5) + 1 : at + 1
    while (next < end) {
      sizes.push(frame.readInt32LE(next))
      next += frame.readInt32LE(next)
    }
    at = end
  }
  return sizes
}

/** The frame of a message. An answer to the first greeting keeps the form of its own. */
export function frameOf({ id, answers, document, sequences }: Message, like?: Buffer): Buffer {
  const body = Buffer.from(BSON.serialize(document))
  const isReply = like?.readInt32LE(12) === opReply
  const head = Buffer.alloc(isReply ? 36 : 21)
  const frame = isReply ? Buffer.concat([head, body]) : Buffer.concat([head, body, sequences])
  if (isReply) like?.copy(frame, 0, 0, 36)
  frame.writeInt32LE(frame.length, 0)
  frame.writeInt32LE(id, 4)
  frame.writeInt32LE(answers, 8)
  frame.writeInt32LE(isReply ? opReply : opMsg, 12)
  return frame
}
