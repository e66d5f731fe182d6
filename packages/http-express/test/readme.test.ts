import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPrivacyService, loadOptions, type PrivacyService } from '@habeas/core'
import express from 'express'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'
import { createPrivacyRouter } from '../src/index.js'

it('the README runs as it stands, except for the port', async () => {
  const [example = ''] = await readmeExamples(new URL('../README.md', import.meta.url))
  const env = { HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const opened: { privacy: PrivacyService; server: Server }[] = []
  const code = example.replace('app.listen(3000)', 'const server = app.listen(0)')
  await runExample(`${code}\nopened.push({ privacy, server })`, {
    createPrivacyService,
    loadOptions: () => loadOptions({ env }),
    createPrivacyRouter,
    express,
    opened,
  })
  const [{ privacy, server }] = opened as [(typeof opened)[number]]
  if (!server.listening) await once(server, 'listening')
  const response = await fetch(`http://localhost:${(server.address() as AddressInfo).port}/privacy/health`)
  expect(await response.json()).toMatchObject({ status: 'healthy' })
  server.close()
  server.closeAllConnections()
  await privacy.close()
})

it('the router of the root README runs as it stands', async () => {
  const examples = await readmeExamples(new URL('../../../README.md', import.meta.url))
  const example = examples.find((each) => each.includes('createPrivacyRouter(privacy))')) ?? ''
  const privacy = createPrivacyService(
    loadOptions({ env: { HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64') } }),
  )
  const app = express()
  await runExample(example, { app, createPrivacyRouter, privacy })
  const server = app.listen(0)
  await once(server, 'listening')
  const page = await fetch(`http://localhost:${(server.address() as AddressInfo).port}/privacy/api/v1/docs`)
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')])
  server.close()
  server.closeAllConnections()
  await privacy.close()
})

it('the root client of the root README makes a client with fewer scopes, as its lines for curl say', async () => {
  const page = new URL('../../../README.md', import.meta.url)
  const text = await readFile(page, 'utf8')
  const code = (await readmeExamples(page)).find((each) => each.includes('oauthRootClientId')) ?? ''
  const [, scopes = ''] = /-d '(\[.*\])' \$api\/oauth\/client/.exec(text) ?? []
  const env = {
    HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    OAUTH_ROOT_CLIENT_ID: 'root',
    OAUTH_ROOT_CLIENT_SECRET: randomBytes(32).toString('base64'),
  }
  const opened: PrivacyService[] = []
  await runExample(`${code}\nopened.push(privacy)`, { createPrivacyService, process: { env }, opened })
  const [privacy] = opened as [PrivacyService]
  const server = express().use('/privacy', createPrivacyRouter(privacy)).listen(0)
  await once(server, 'listening')
  const api = `http://localhost:${(server.address() as AddressInfo).port}/privacy/api/v1`
  const authorization = `Basic ${btoa(`${env.OAUTH_ROOT_CLIENT_ID}:${env.OAUTH_ROOT_CLIENT_SECRET}`)}`
  const form = {
    method: 'POST',
    headers: { authorization },
    body: new URLSearchParams('grant_type=client_credentials'),
  }
  const { access_token: token } = (await (await fetch(`${api}/oauth/token`, form)).json()) as { access_token: string }
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const made = await fetch(`${api}/oauth/client`, { method: 'POST', headers, body: scopes })
  expect(await made.json()).toMatchObject({ client_id: expect.any(String), client_secret: expect.any(String) })
  const { items } = await privacy.clients.list()
  expect(items.map((each) => each.scopes)).toEqual([JSON.parse(scopes)])
  server.close()
  server.closeAllConnections()
  await privacy.close()
})

it('the login of the root README lets people of the app in, and asks everybody else for a token', async () => {
  const examples = await readmeExamples(new URL('../../../README.md', import.meta.url))
  const code = examples.find((each) => each.includes('isPrivacyOfficer')) ?? ''
  const privacy = createPrivacyService({ encryptionKey: randomBytes(32).toString('base64') })
  const app = express().use((request, _response, next) => {
    const isPrivacyOfficer = request.headers.cookie === 'officer'
    Object.assign(request, { session: { user: { id: 'alice', isPrivacyOfficer } } })
    next()
  })
  const refuseOtherSites: express.RequestHandler = (_request, _response, next) => next()
  await runExample(code, { app, createPrivacyRouter, privacy, refuseOtherSites })
  const server = app.listen(0)
  await once(server, 'listening')
  const address = `http://localhost:${(server.address() as AddressInfo).port}/privacy/api/v1/privacy-request`
  const statusFor = async (cookie: string) => (await fetch(address, { headers: { cookie } })).status
  expect([await statusFor('officer'), await statusFor('other')]).toEqual([200, 401])
  server.close()
  server.closeAllConnections()
  await privacy.close()
})
