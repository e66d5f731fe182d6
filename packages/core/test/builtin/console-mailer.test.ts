import { consoleMailer, type Mail } from '@habeas/core'
import { expect, it } from 'vitest'

const mail: Mail = { kind: 'request_receipt', messageId: '<1@habeas>', to: 'a@example.org', subject: 's', text: 't' }

const printed = async (given: Partial<Mail>): Promise<string> => {
  const written: string[] = []
  await consoleMailer({ write: (text) => written.push(text) }).send({ ...mail, ...given })
  return written.join('')
}

it('consoleMailer prints kind, recipient, subject and text', async () => {
  expect(await printed({ text: 'one\r\n\ntwo\n' })).toBe(
    '| Mail (request_receipt) to a@example.org: s\n|\n| one\n|\n| two\n',
  )
})

it('consoleMailer prints nothing that a terminal obeys', async () => {
  expect(await printed({ text: 'a\u001b[2Jb\u009b31mc\rd' })).toContain('| a[2Jb31mcd\n')
})

it('consoleMailer refuses what every mailer refuses', async () => {
  await expect(printed({ subject: 'a\nb' })).rejects.toMatchObject({ code: 'invalid_input' })
})
