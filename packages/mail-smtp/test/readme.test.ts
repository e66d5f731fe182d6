import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import { createPrivacyService, type PrivacyService } from '@habeas/core'
import { memoryConnector, selfSignedCertificate } from '@habeas/testkit'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { type SmtpMailerOptions, smtpMailer } from '../src/index.js'
import { startMailServer } from './mail-server.js'

it('the README runs as it stands, except for the address and the authority of the server', async () => {
  const { key, certificate } = selfSignedCertificate('localhost')
  const server = await startMailServer({
    key,
    cert: certificate,
    onAuth: ({ username, password }, _session, done) =>
      done(password === 'secret' ? null : new Error('no'), { user: username ?? '' }),
  })
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  const code = ts.transpileModule(example.replace(/^import .*\n/gm, ''), { compilerOptions }).outputText
  const here = (options: SmtpMailerOptions) =>
    smtpMailer({ ...options, host: 'localhost', port: server.port, tls: { ca: certificate } })
  const process = { env: { SMTP_PASSWORD: 'secret' } }
  await new Function('smtpMailer', 'process', 'text', `return (async () => {${code}})()`)(here, process, 'It is here.')
  await server.stop()
  expect(server.received.map(({ recipients, user, secure }) => ({ recipients, user, secure }))).toEqual([
    { recipients: ['ann@example.org'], user: 'habeas', secure: true },
  ])
})

it('the service of the root README mails over SMTP', async () => {
  const server = await startMailServer()
  const examples = await readmeExamples(new URL('../../../README.md', import.meta.url))
  const example = examples.find((each) => each.includes('smtpMailer')) ?? ''
  const opened: { privacy: PrivacyService; mailer: { close(): Promise<void> } }[] = []
  await runExample(`${example}\nopened.push({ privacy, mailer })`, {
    createPrivacyService,
    smtpMailer,
    opened,
    postgresConnector: () => memoryConnector({ database: {} }),
    process: {
      env: {
        HABEAS_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
        SMTP_URL: `smtp://localhost:${server.port}`,
      },
    },
  })
  const [{ privacy, mailer }] = opened as [(typeof opened)[number]]
  const identities = [{ email: 'ann@example.org' }]
  const { id, status } = await privacy.requests.submit({ policyKey: 'default_access_policy', identities })
  expect(status).toBe('identity_unverified')
  await expect.poll(() => server.received.length).toBe(1)
  const code = /^\d{6}$/m.exec(server.received[0]?.mail.text ?? '')?.[0] as string
  expect(await privacy.requests.verify(id, { code })).toMatchObject({ status: 'pending' })
  await privacy.close()
  await mailer.close()
  await server.stop()
})
