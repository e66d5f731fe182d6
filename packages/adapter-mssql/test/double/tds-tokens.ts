/** Parts of an answer of the server, in the Tabular Data Stream protocol, version 7.4. */

const int = (bytes: number, value: number) => {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntLE(value >>> 0, 0, bytes)
  return buffer
}
const long = (value: number | bigint) => {
  const buffer = Buffer.alloc(8)
  buffer.writeBigInt64LE(BigInt(value))
  return buffer
}
const utf16 = (text: string) => Buffer.from(text, 'utf16le')
/** Text behind its number of characters, in one byte or two. */
const short = (text: string) => Buffer.concat([int(1, text.length), utf16(text)])
const longer = (text: string) => Buffer.concat([int(2, text.length), utf16(text)])
const token = (type: number, body: Buffer) => Buffer.concat([int(1, type), int(2, body.length), body])

/** Latin1_General, version 2, without regard to case. */
const collation = Buffer.from([0x09, 0x04, 0xd0, 0x00, 0x34])

export interface ServerError {
  readonly number: number
  readonly message: string
}

export function errorToken({ number, message }: ServerError, severity = 16): Buffer {
  const parts = [int(4, number), Buffer.from([1, severity]), longer(message), short('double'), short(''), int(4, 1)]
  return token(0xaa, Buffer.concat(parts))
}

/** `status`: 0x02 for an error, 0x10 for a count, 0x20 for an attention. */
export function doneToken(status: number, rows = 0): Buffer {
  return Buffer.concat([int(1, 0xfd), int(2, status), int(2, 0xc1), long(rows)])
}

const transaction = Buffer.concat([int(1, 8), long(1)])

/** A transaction began or ended: 8 for BEGIN, 9 for COMMIT, 10 for ROLLBACK. */
export function transactionToken(type: 8 | 9 | 10): Buffer {
  const none = int(1, 0)
  return token(0xe3, Buffer.concat([int(1, type), ...(type === 8 ? [transaction, none] : [none, transaction])]))
}

export function loginTokens(database: string): Buffer {
  return Buffer.concat([
    token(0xe3, Buffer.concat([int(1, 1), short(database), short('master')])),
    token(0xe3, Buffer.concat([int(1, 7), int(1, 5), collation, int(1, 0)])),
    token(0xad, Buffer.concat([Buffer.from([1, 0x74, 0, 0, 4]), short('SQL Server'), Buffer.from([16, 0, 3, 232])])),
    token(0xe3, Buffer.concat([int(1, 4), short('4096'), short('4096')])),
    doneToken(0),
  ])
}

/** The answer to PRELOGIN. `encryption`: 1 where it is demanded, 2 where there is none. */
export function preloginAnswer(encryption: 1 | 2): Buffer {
  return Buffer.from([0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xff, 16, 0, 3, 232, 0, 0, encryption])
}

/** How a type of PostgreSQL, by its number, is written. Values come as text. */
interface Wire {
  readonly type: Buffer
  write(text: string): Buffer
  readonly none: Buffer
}

const sized = (type: number, bytes: number, write: (buffer: Buffer, text: string) => void): Wire => ({
  type: Buffer.from([type, bytes]),
  write(text) {
    const buffer = Buffer.alloc(bytes + 1)
    buffer[0] = bytes
    write(buffer, text)
    return buffer
  },
  none: int(1, 0),
})
const chunked = (type: Buffer, bytesOf: (text: string) => Buffer): Wire => ({
  type,
  write(text) {
    const bytes = bytesOf(text)
    const chunks = bytes.length === 0 ? [int(4, 0)] : [int(4, bytes.length), bytes, int(4, 0)]
    return Buffer.concat([long(bytes.length), ...chunks])
  },
  none: long(-1),
})
const texts = chunked(Buffer.concat([Buffer.from([0xe7, 0xff, 0xff]), collation]), utf16)
const wires: Readonly<Record<number, Wire>> = {
  16: sized(0x68, 1, (buffer, text) => buffer.writeUInt8(text === 't' ? 1 : 0, 1)),
  17: chunked(Buffer.from([0xa5, 0xff, 0xff]), (text) => Buffer.from(text.slice(2), 'hex')),
  20: sized(0x26, 8, (buffer, text) => buffer.writeBigInt64LE(BigInt(text), 1)),
  21: sized(0x26, 2, (buffer, text) => buffer.writeInt16LE(Number(text), 1)),
  23: sized(0x26, 4, (buffer, text) => buffer.writeInt32LE(Number(text), 1)),
  700: sized(0x6d, 4, (buffer, text) => buffer.writeFloatLE(Number(text), 1)),
  701: sized(0x6d, 8, (buffer, text) => buffer.writeDoubleLE(Number(text), 1)),
  2950: sized(0x24, 16, (buffer, text) => guid(text).copy(buffer, 1)),
}

/** The first three parts of a UUID have their bytes in the other order, by which the server sorts as well. */
function guid(text: string): Buffer {
  const bytes = Buffer.from(text.replaceAll('-', ''), 'hex')
  bytes.subarray(0, 4).reverse()
  bytes.subarray(4, 6).reverse()
  bytes.subarray(6, 8).reverse()
  return bytes
}

export interface WireColumn {
  readonly name: string
  readonly dataTypeID: number
}

export function columnsToken(columns: readonly WireColumn[]): Buffer {
  const described = columns.map(({ name, dataTypeID }) =>
    Buffer.concat([int(4, 0), int(2, 9), (wires[dataTypeID] ?? texts).type, short(name === '?column?' ? '' : name)]),
  )
  return Buffer.concat([int(1, 0x81), int(2, columns.length), ...described])
}

export function rowToken(columns: readonly WireColumn[], row: readonly (string | null)[]): Buffer {
  const values = columns.map(({ dataTypeID }, at) => {
    const [wire, value] = [wires[dataTypeID] ?? texts, row[at] ?? null]
    return value === null ? wire.none : wire.write(value)
  })
  return Buffer.concat([int(1, 0xd1), ...values])
}
