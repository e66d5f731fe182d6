import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { preloginAnswer } from './tds-tokens.js'

export interface Certificate {
  readonly key: string
  readonly certificate: string
}

const packetBytes = 4_088

/** One connection of a client: its messages, whole, and packets of answers. Encryption begins inside of PRELOGIN packets. */
export class TdsLine {
  readonly #socket: Socket
  readonly #certificate: Certificate | undefined
  readonly #onMessage: (type: number, message: Buffer) => void
  #stream: Socket | TLSSocket
  #inner: Duplex | undefined
  #wraps = false
  #received = Buffer.alloc(0)
  #parts: Buffer[] = []

  constructor(
    socket: Socket,
    certificate: Certificate | undefined,
    onMessage: (type: number, message: Buffer) => void,
  ) {
    this.#socket = socket
    this.#stream = socket
    this.#certificate = certificate
    this.#onMessage = onMessage
    let raw = Buffer.alloc(0)
    socket.on('data', (data: Buffer) => {
      if (!this.#inner) return this.#take(data)
      raw = Buffer.concat([raw, data])
      // the client wraps its handshake in packets, and what comes after is not wrapped any more
      while (this.#wraps && raw.length >= 8 && raw[0] === 0x12) {
        const size = raw.readUInt16BE(2)
        if (raw.length < size) return
        this.#inner.push(raw.subarray(8, size))
        raw = raw.subarray(size)
      }
      if (raw.length === 0 || (raw.length < 8 && raw[0] === 0x12)) return
      this.#wraps = false
      this.#inner.push(raw)
      raw = Buffer.alloc(0)
    })
  }

  /** Sends parts of an answer. Resolves when the client has room for more. */
  async send(parts: Buffer, last: boolean): Promise<void> {
    const packets: Buffer[] = []
    for (let from = 0; from < parts.length || from === 0; from += packetBytes) {
      const body = parts.subarray(from, from + packetBytes)
      const header = Buffer.from([4, last && from + packetBytes >= parts.length ? 1 : 0, 0, 0, 0, 0, 1, 0])
      header.writeUInt16BE(body.length + 8, 2)
      packets.push(header, body)
    }
    if (this.#stream.destroyed) return
    if (!this.#stream.write(Buffer.concat(packets)))
      await Promise.race([once(this.#stream, 'drain'), once(this.#stream, 'close')]).catch(() => {})
  }

  #take(data: Buffer): void {
    this.#received = Buffer.concat([this.#received, data])
    while (this.#received.length >= 8) {
      const size = this.#received.readUInt16BE(2)
      if (this.#received.length < size) return
      const packet = this.#received.subarray(0, size)
      this.#received = this.#received.subarray(size)
      this.#parts.push(packet.subarray(8))
      if (((packet[1] as number) & 1) === 0) continue
      const message = Buffer.concat(this.#parts)
      this.#parts = []
      if (packet[0] === 0x12) void this.#prelogin()
      else this.#onMessage(packet[0] as number, message)
    }
  }

  async #prelogin(): Promise<void> {
    await this.send(preloginAnswer(this.#certificate ? 1 : 2), true)
    if (!this.#certificate) return
    this.#wraps = true
    const socket = this.#socket
    const inner = new Duplex({
      read() {},
      write: (chunk: Buffer, _, done) => {
        if (!this.#wraps) return void socket.write(chunk, done)
        const header = Buffer.from([0x12, 1, 0, 0, 0, 0, 0, 0])
        header.writeUInt16BE(chunk.length + 8, 2)
        socket.write(Buffer.concat([header, chunk]), done)
      },
    })
    socket.on('close', () => inner.destroy())
    this.#inner = inner
    const { key, certificate } = this.#certificate
    // later versions send a ticket behind the handshake, which the client would not unwrap
    const secured = new TLSSocket(inner as Socket, { isServer: true, key, cert: certificate, maxVersion: 'TLSv1.2' })
    secured.on('error', () => socket.destroy())
    secured.on('data', (data: Buffer) => this.#take(data))
    secured.on('secure', () => {
      this.#stream = secured
    })
  }
}
