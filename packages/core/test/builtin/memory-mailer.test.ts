import { type Mail, memoryMailer } from '@habeas/core'
import { expect, it } from 'vitest'

const mail: Mail = { kind: 'request_receipt', messageId: '<1@habeas>', to: 'a@example.org', subject: 's', text: 't' }

it('memoryMailer keeps what it is given, once per Message-ID, in the order it came', async () => {
  const mailer = memoryMailer()
  await mailer.send(mail)
  await mailer.send({ ...mail, messageId: '<2@habeas>' })
  await mailer.send(mail)
  expect(mailer.outbox.map(({ messageId }) => messageId)).toEqual(['<1@habeas>', '<2@habeas>'])
})
