/** One mail to one person, already rendered. `kind` is what it is about, for hosts that treat kinds differently. */
export interface Mail {
  readonly kind: 'request_receipt' | 'identity_verification' | 'request_completion' | 'request_review'
  /** The same for every attempt to send this mail. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
}

/** Hands mails to whatever delivers them. */
export interface Mailer {
  /**
   * MUST resolve only when the mail was accepted for delivery, and reject otherwise; it may then be sent again.
   * MUST give `messageId` as the Message-ID, so that a mail sent twice is recognised as one.
   * MUST NOT log what the mail says or to whom.
   */
  send(mail: Mail): Promise<void>
}
