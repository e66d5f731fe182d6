import { memoryMailer } from '@habeas/core'
import { mailerContract } from '@habeas/testkit'
import { describe, it } from 'vitest'

describe('memoryMailer', () =>
  mailerContract(it, () => {
    const mailer = memoryMailer()
    return { mailer, delivered: async () => mailer.outbox.map(({ to, ...mail }) => ({ ...mail, recipients: [to] })) }
  }))
