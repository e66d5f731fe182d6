import { isMailAddress, PrivacyError } from '@habeas/core'
import * as z from 'zod'

/** A name for people and an address. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

const mailboxPattern = /^(?:"?([^"<>\p{Cc}\p{Cs}\u2028\u2029]*?)"? *<([^<>]*)>|([^<>]*))$/u

function readMailbox(text: string): Mailbox | undefined {
  const [, name = '', bracketed, plain] = mailboxPattern.exec(text.trim()) ?? []
  const address = bracketed ?? plain ?? ''
  return isMailAddress(address) ? { name: name.trim(), address } : undefined
}

const mailboxMessage = 'must be an address such as privacy@example.com or Example <privacy@example.com>'
const mailbox = z
  .string(mailboxMessage)
  .transform(readMailbox)
  .refine((read) => read !== undefined, mailboxMessage)

interface Parts {
  readonly host: string
  readonly port?: number
  readonly secure: boolean
  readonly user?: string
  readonly password?: string
}

/** Returns the parts of `smtp://user:password@host:port`, or undefined for a URL of another kind or with more parts. */
function readUrl(text: string): Parts | undefined {
  try {
    const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(text)
    if (!/^smtps?:$/.test(protocol) || hostname === '' || pathname.length > 1 || search || hash) return undefined
    return {
      host: hostname.replace(/^\[(.*)\]$/, '$1'),
      secure: protocol === 'smtps:',
      ...(port && { port: Number(port) }),
      ...(username && { user: decodeURIComponent(username) }),
      ...(password && { password: decodeURIComponent(password) }),
    }
  } catch {
    return undefined
  }
}

/** Settings of the encryption, as PEM. */
export interface SmtpTlsOptions {
  /** The authority that signed the server's certificate, when Node does not know it. */
  readonly ca?: string
  /** With `key`: the certificate of this client. */
  readonly cert?: string
  readonly key?: string
  /** False accepts any certificate, and so any server. This is for trials only. */
  readonly rejectUnauthorized?: boolean
  /** The host name in the certificate, when it is not `host`. */
  readonly serverName?: string
}

export interface SmtpMailerOptions {
  /** `smtp://user:password@host:587`, or `smtps://…` for TLS from the start. Further options win over it. */
  readonly url?: string
  readonly host?: string
  /** Default: 465 when `secure`, else 587. */
  readonly port?: number
  /**
   * True uses TLS from the start. Otherwise STARTTLS encrypts the connection. Default: true when the port is 465.
   */
  readonly secure?: boolean
  readonly user?: string
  readonly password?: string
  /** The sender, an address that `user` may send from: `privacy@example.com`, `Example <privacy@example.com>`. */
  readonly from: string
  /** Address for answers, when it is not `from`. */
  readonly replyTo?: string
  /**
   * With `true` or settings, no mail and no password is sent without encryption. With `false`, nothing is encrypted.
   * Default: encryption is required, except that a server on this machine need not offer it.
   */
  readonly tls?: boolean | SmtpTlsOptions
  /** How long one mail may take, from connecting to the server's confirmation. Default: 60. */
  readonly timeoutSeconds?: number
}

const text = z.string('must be text').min(1, 'must not be empty')
const flag = z.boolean('must be true or false')
const pem = z.string('must be PEM').regex(/-----BEGIN [A-Z ]+-----/, 'must be PEM')

const tlsSchema = z.strictObject({
  ca: pem.exactOptional(),
  cert: pem.exactOptional(),
  key: pem.exactOptional(),
  rejectUnauthorized: flag.exactOptional(),
  serverName: text.exactOptional(),
})

const urlMessage = 'must look like smtp://user:password@host:587, with special characters as %XX'
const hostMessage = 'must be the name or IP address of the mail server'

const optionsSchema = z
  .strictObject({
    url: z
      .string(urlMessage)
      .transform(readUrl)
      .refine((read) => read !== undefined, urlMessage)
      .exactOptional(),
    host: z
      .string(hostMessage)
      .regex(/^[^\s/@]+$/, hostMessage)
      .exactOptional(),
    port: z.int('must be a number from 1 to 65535').min(1).max(65_535).exactOptional(),
    secure: flag.exactOptional(),
    user: text.exactOptional(),
    password: z.string('must be text').exactOptional(),
    from: mailbox,
    replyTo: mailbox.exactOptional(),
    tls: z.union([z.boolean(), tlsSchema], { error: 'must be true, false, or settings of TLS' }).exactOptional(),
    timeoutSeconds: z.number('must be a number').min(0.1).max(86_400).default(60),
  })
  .superRefine(({ url, host, user, password, secure, port, tls }, context) => {
    const fault = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
    if (url === undefined && host === undefined) fault('host', 'is missing: give it, or url')
    const hasUser = (user ?? url?.user) !== undefined
    if (hasUser !== ((password ?? url?.password) !== undefined)) {
      fault(hasUser ? 'password' : 'user', 'is missing: give user and password, or neither')
    }
    const isSecure = secure ?? url?.secure ?? (port ?? url?.port) === 465
    if (isSecure && tls === false) fault('tls', 'must not be false where TLS is used from the start')
  })

/** The settings once the options have been read. */
export interface SmtpSettings {
  readonly host: string
  readonly port: number
  readonly secure: boolean
  readonly login?: { readonly user: string; readonly password: string }
  readonly from: Mailbox
  readonly replyTo?: Mailbox
  readonly encryption: 'required' | 'if offered' | 'none'
  readonly tls: SmtpTlsOptions
  readonly timeoutSeconds: number
}

const isThisMachine = (host: string): boolean => host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host)

/** Reads the options. Throws `misconfigured` with the option and its allowed values, but never with the given value. */
export function readOptions(options: SmtpMailerOptions): SmtpSettings {
  const parsed = optionsSchema.safeParse(options, { reportInput: false })
  if (!parsed.success) {
    const issue = parsed.error.issues[0] as z.core.$ZodIssue
    const names = issue.code === 'unrecognized_keys' ? issue.keys : []
    const option = [...issue.path, ...names].join('.') || 'options'
    throw new PrivacyError('misconfigured', `Option '${option}' of smtpMailer: ${issue.message}.`, { option })
  }
  const { url, from, replyTo, tls, timeoutSeconds, ...given } = parsed.data
  const { host = '', port, secure, user, password } = { ...url, secure: undefined, ...given }
  const isSecure = secure ?? url?.secure ?? port === 465
  return {
    host,
    port: port ?? (isSecure ? 465 : 587),
    secure: isSecure,
    ...(user !== undefined && password !== undefined && { login: { user, password } }),
    from: from as Mailbox,
    ...(replyTo && { replyTo }),
    encryption: tls === false ? 'none' : tls === undefined && isThisMachine(host) ? 'if offered' : 'required',
    tls: typeof tls === 'object' ? tls : {},
    timeoutSeconds,
  }
}
