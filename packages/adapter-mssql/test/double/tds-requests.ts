/** What a client sends: a login, a batch of text, or a statement with parameters. */

export interface Login {
  readonly user: string
  readonly password: string
  readonly database: string
}

export function loginOf(message: Buffer): Login {
  const bytes = (at: number) => {
    const start = message.readUInt16LE(at)
    return message.subarray(start, start + message.readUInt16LE(at + 2) * 2)
  }
  const plain = bytes(44).map((byte) => {
    const mixed = byte ^ 0xa5
    return ((mixed << 4) | (mixed >> 4)) & 255
  })
  return {
    user: bytes(40).toString('utf16le'),
    password: Buffer.from(plain).toString('utf16le'),
    database: bytes(68).toString('utf16le'),
  }
}

export interface Asked {
  readonly sql: string
  readonly parameters: readonly (string | null)[]
}

/** The text of a batch, behind its headers. */
export function batchOf(message: Buffer): Asked {
  return { sql: message.toString('utf16le', message.readUInt32LE(0)), parameters: [] }
}

/** The statement of a call of sp_executesql. Its declarations of parameters are left out. */
export function callOf(message: Buffer): Asked {
  let at = message.readUInt32LE(0)
  const short = () => {
    at += 2
    return message.readUInt16LE(at - 2)
  }
  if (short() !== 0xffff || short() !== 10) throw new Error('the double knows sp_executesql alone')
  at += 2
  const values: (string | null)[] = []
  while (at < message.length) {
    at += 1 + (message[at] as number) * 2 + 1
    values.push(valueAt())
  }
  const [sql, , ...parameters] = values
  return { sql: sql ?? '', parameters }

  function valueAt(): string | null {
    const type = message[at++]
    if (type === 0x26) {
      at++
      const size = message[at++] as number
      at += size
      return size === 0 ? null : String(message.readIntLE(at - size, size))
    }
    if (type !== 0xe7) throw new Error(`the double knows no parameter of the type ${type}`)
    const most = short()
    at += 5
    if (most === 0xffff) return chunks()
    const size = short()
    if (size === 0xffff) return null
    at += size
    return message.toString('utf16le', at - size, at)
  }

  function chunks(): string | null {
    const total = message.readBigUInt64LE(at)
    at += 8
    if (total === 0xffff_ffff_ffff_ffffn) return null
    const parts: Buffer[] = []
    for (;;) {
      const size = message.readUInt32LE(at)
      at += 4
      if (size === 0) return Buffer.concat(parts).toString('utf16le')
      parts.push(message.subarray(at, at + size))
      at += size
    }
  }
}
