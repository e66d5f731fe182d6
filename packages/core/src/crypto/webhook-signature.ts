import { createHmac } from 'node:crypto'

/** The signature by which a receiver checks a call: when it was sent, and an HMAC-SHA256 over that instant and the body. */
export function webhookSignature(secret: string, sentAt: Date, body: string): string {
  const seconds = Math.floor(sentAt.getTime() / 1_000)
  const hash = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${hash}`
}
