import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { httpWebhooks } from './http-webhooks.js'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A receiver on the loopback; `heard` lists the received calls. */
async function receiver(answer: (request: IncomingMessage, response: ServerResponse) => void, host = '127.0.0.1') {
  const heard: { url: string; headers: IncomingMessage['headers']; body: string }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    heard.push({ url: request.url ?? '', headers: request.headers, body })
    answer(request, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo
  return { heard, port, url: `http://${host}:${port}/hook?a=b` }
}

const call = (url: string, more: object = {}) => ({ url, headers: {}, body: '{"a":"ä"}', readAnswer: true, ...more })
const open = { allowPrivateAddresses: true }
const failure = async (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error) => error,
  )

describe('a call', () => {
  it('posts JSON with its headers, and gives the answer', async () => {
    const { url, heard } = await receiver((_, response) => response.writeHead(201).end('{"halt":true}'))
    expect(await httpWebhooks(open).send(call(url, { headers: { 'habeas-signature': 's' } }))).toEqual({
      status: 201,
      body: '{"halt":true}',
    })
    expect(heard).toMatchObject([
      { url: '/hook?a=b', body: '{"a":"ä"}', headers: { 'content-type': 'application/json', 'habeas-signature': 's' } },
    ])
  })

  it('does not follow a redirect', async () => {
    const target = await receiver((_, response) => response.end('{}'))
    const { url } = await receiver((_, response) => response.writeHead(307, { location: target.url }).end())
    expect(await httpWebhooks(open).send(call(url))).toMatchObject({ status: 307 })
    expect(target.heard).toEqual([])
  })

  it('gives up on an answer that is too large, and does not read an unwanted one', async () => {
    const { url } = await receiver((_, response) => {
      const more = () => void (response.write('x'.repeat(10_000)) ? setImmediate(more) : response.once('drain', more))
      response.writeHead(200)
      more()
    })
    expect(await failure(httpWebhooks(open).send(call(url)))).toMatchObject({
      code: 'connection_failed',
      details: { reason: 'too_large' },
    })
    expect(await httpWebhooks(open).send(call(url, { readAnswer: false }))).toEqual({ status: 200, body: '' })
  })

  it.each<[string, (response: ServerResponse) => void]>([
    ['never answers', () => {}],
    ['answers a byte now and then', (response) => void setInterval(() => response.write(' '), 20).unref()],
  ])('gives up on a receiver that %s', async (_, answer) => {
    const { url } = await receiver((_, response) => answer(response))
    expect(await failure(httpWebhooks({ ...open, timeoutSeconds: 0.2 }).send(call(url)))).toMatchObject({
      details: { reason: 'timeout' },
    })
  })

  it('gives up on a name that is never resolved', async () => {
    const sender = httpWebhooks({ ...open, timeoutSeconds: 0.1, resolve: () => new Promise(() => {}) })
    expect(await failure(sender.send(call('http://slow.example/')))).toMatchObject({ details: { reason: 'timeout' } })
  })

  it('ends at once when the caller aborts', async () => {
    const { url, heard } = await receiver(() => leaving.abort(new Error('left')))
    const leaving = new AbortController()
    expect(await failure(httpWebhooks(open).send(call(url), { signal: leaving.signal }))).toMatchObject({
      message: 'left',
    })
    expect(await failure(httpWebhooks(open).send(call(url), { signal: leaving.signal }))).toMatchObject({
      message: 'left',
    })
    expect(heard).toHaveLength(1)
  })

  it('says what to fix, and repeats nothing of the URL', async () => {
    const { url, port } = await receiver((_, response) => response.destroy())
    const closed = await receiver(() => {})
    servers.at(-1)?.close()
    const sender = httpWebhooks(open)
    const broken = await failure(sender.send(call(`${url}&token=planted`)))
    expect(broken).toMatchObject({
      code: 'connection_failed',
      message: `'127.0.0.1:${port}' closed the connection.`,
    })
    await expect
      .poll(async () => failure(sender.send(call(closed.url))))
      .toMatchObject({ message: `Nothing listens at '127.0.0.1:${closed.port}'.` })
    const unknown = httpWebhooks({
      ...open,
      resolve: async () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' })),
    })
    expect(await failure(unknown.send(call('http://hooks.invalid/?token=planted')))).toMatchObject({
      message: "The name 'hooks.invalid' does not exist: check it.",
    })
    expect(
      await failure(httpWebhooks({ ...open, resolve: async () => [] }).send(call('http://hooks.invalid/'))),
    ).toMatchObject({ code: 'connection_failed' })
  })
})

describe('server-side request forgery', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['loopback by name', 'localhost'],
    ['loopback by name with a dot', 'localhost.'],
    ['a name below localhost', 'internal.localhost'],
    ['loopback in one decimal number', '2130706433'],
    ['loopback in octal', '0177.0.0.1'],
    ['loopback in hexadecimal', '0x7f.0.0.1'],
    ['loopback in two parts', '127.1'],
    ['loopback in full-width digits', '１２７.０.０.１'],
    ['0.0.0.0', '0.0.0.0'],
    ['zero', '0'],
    ['link-local', '169.254.10.10'],
    ['the metadata of a cloud', '169.254.169.254'],
    ['the metadata of a cloud in one number', '2852039166'],
    ['carrier-grade NAT', '100.100.100.200'],
    ['10/8', '10.0.0.1'],
    ['172.16/12', '172.16.0.1'],
    ['192.168/16', '192.168.1.1'],
    ['loopback of IPv6', '[::1]'],
    ['IPv4-mapped IPv6', '[::ffff:127.0.0.1]'],
    ['IPv4-mapped IPv6 in hexadecimal', '[::ffff:7f00:1]'],
    ['IPv4-compatible IPv6', '[::7f00:1]'],
    ['NAT64', '[64:ff9b::a9fe:a9fe]'],
    ['unique local IPv6', '[fd00:ec2::254]'],
    ['link-local IPv6', '[fe80::1]'],
    ['unspecified IPv6', '[::]'],
  ])('%s is refused, when it is defined and when it is called: https://%s', async (_, host) => {
    let asked = 0
    const sender = httpWebhooks({
      resolve: async () => {
        asked++
        return [{ address: '127.0.0.1', family: 4 }]
      },
    })
    expect(sender.refusal(`https://${host}/`)).toMatch(/private address/)
    expect(await failure(sender.send(call(`https://${host}/`)))).toMatchObject({
      code: 'connection_failed',
      details: { reason: 'refused_address' },
    })
    expect(asked).toBe(/localhost/.test(host) ? 1 : 0)
    expect(httpWebhooks(open).refusal(`https://${host}/`)).toBeUndefined()
  })

  it('plain http is refused, except to private addresses where these are allowed', async () => {
    expect(httpWebhooks().refusal('http://hooks.example.com/')).toMatch(/https/)
    expect(httpWebhooks().refusal('https://hooks.example.com/')).toBeUndefined()
    const sender = httpWebhooks({ ...open, resolve: async () => [{ address: '8.8.8.8', family: 4 }] })
    expect(sender.refusal('http://hooks.example.com/')).toBeUndefined()
    expect(await failure(sender.send(call('http://hooks.example.com/')))).toMatchObject({
      details: { reason: 'refused_address' },
    })
  })

  it('a public name that leads to a private address is refused, also as one of several', async () => {
    for (const addresses of [
      ['10.0.0.1'],
      ['8.8.8.8', '127.0.0.1'],
      ['2606:4700:4700::1111', '::1'],
      ['::ffff:10.0.0.1'],
    ]) {
      const resolve = async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      expect(await failure(httpWebhooks({ resolve }).send(call('https://hooks.example.com/')))).toMatchObject({
        details: { reason: 'refused_address' },
        message: expect.stringContaining('webhooks.allowPrivateAddresses'),
      })
    }
  })

  it('DNS rebinding: the name is looked up once, and the call connects to the checked address', async () => {
    const first = await receiver((_, response) => response.end('{}'))
    let asked = 0
    const resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
    const sender = httpWebhooks({ ...open, resolve })
    expect(await sender.send(call(`http://rebind.example:${first.port}/`))).toMatchObject({ status: 200 })
    expect(asked).toBe(1)
    expect(first.heard[0]?.headers.host).toBe(`rebind.example:${first.port}`)
  })

  it('no connection is used again', async () => {
    const sockets = new Set<unknown>()
    const { url } = await receiver((request, response) => {
      sockets.add(request.socket.remotePort)
      response.end('{}')
    })
    const sender = httpWebhooks(open)
    await sender.send(call(url))
    await sender.send(call(url))
    expect(sockets.size).toBe(2)
  })
})
