import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

/** A mail as the server took it: its envelope, its bytes, and the view of a mail reader. */
export interface ReceivedMail {
  readonly from: string
  readonly recipients: readonly string[]
  readonly secure: boolean
  readonly user: string | undefined
  readonly raw: string
  readonly mail: Email
}

export interface MailServer {
  readonly port: number
  readonly received: readonly ReceivedMail[]
  /** The mails it was given and did not take. */
  readonly deferred: readonly ReceivedMail[]
  /** Connections so far. */
  readonly connections: number
  /** Ends the server; open connections break. */
  stop(): Promise<void>
  /** Starts again on the same port. */
  start(): Promise<void>
  /** From now on mails are read to their end and deferred (451), or accepted again. */
  defer(isDeferring: boolean): void
}

export const refusedAddress = 'nobody@example.org'

/** A handler of the server gives this answer instead of accepting. */
const answer = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode })

/** A real SMTP server on this machine. It offers TLS and a login only when you pass certificates or logins. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const deferred: ReceivedMail[] = []
  let isDeferring = false
  const plain = options.cert === undefined
  let connections = 0
  let port = 0

  const create = () =>
    new SMTPServer({
      logger: false,
      closeTimeout: 1,
      hideSTARTTLS: plain,
      disabledCommands: [...(options.onAuth ? [] : ['AUTH']), ...(plain ? ['STARTTLS'] : [])],
      onConnect(_session, done) {
        connections += 1
        done()
      },
      onRcptTo({ address }, _session, done) {
        done(address === refusedAddress ? answer(550, `5.1.1 <${address}> is not known here`) : null)
      },
      onData(stream, session, done) {
        const chunks: Buffer[] = []
        stream.on('data', (chunk: Buffer) => chunks.push(chunk))
        stream.on('end', async () => {
          if (stream.sizeExceeded) return done(answer(552, '5.3.4 too large'))
          const bytes = Buffer.concat(chunks)
          const { mailFrom, rcptTo } = session.envelope
          const into = isDeferring ? deferred : received
          into.push({
            from: mailFrom ? mailFrom.address : '',
            recipients: rcptTo.map(({ address }) => address),
            secure: session.secure,
            user: typeof session.user === 'string' ? session.user : undefined,
            raw: bytes.toString(),
            mail: await PostalMime.parse(bytes),
          })
          if (into === deferred) return done(answer(451, '4.3.2 later, please'))
          done()
        })
      },
      ...options,
    })

  let server: SMTPServer
  const start = async () => {
    server = create()
    server.on('error', () => {})
    const listener = server.listen(port, '127.0.0.1')
    await once(listener, 'listening')
    port = (listener.address() as AddressInfo).port
  }
  await start()
  return {
    get port() {
      return port
    },
    get connections() {
      return connections
    },
    received,
    deferred,
    defer(value) {
      isDeferring = value
    },
    start,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}
