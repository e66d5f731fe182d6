import { readFile } from 'node:fs/promises'
import { URL } from 'node:url'
import { selfSignedCertificate } from '@habeas/testkit'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { type SmtpMailerOptions, smtpMailer } from '../src/index.js'
import { startMailServer } from './mail-server.js'

it('the README runs as it stands, but for the address and the authority of the server', async () => {
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
