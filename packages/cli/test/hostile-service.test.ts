import { expect, it } from 'vitest'
import { listen } from '../../client/test/served.js'
import { commandFolder } from './command-folder.js'

const config = "export default { files: ['habeas'] }\n"
const folder = commandFolder({ 'habeas.config.mjs': config })
const env = { HABEAS_CLIENT_ID: 'ours', HABEAS_CLIENT_SECRET: 'planted' }

/** Runs against a service that answers one address so, and with empty lists otherwise. */
async function against(path: string, answer: unknown, args: readonly string[], headers: Record<string, string> = {}) {
  const { address, close } = await listen((incoming, outgoing) => {
    incoming.resume()
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost')
    const token = { access_token: 'token', token_type: 'bearer', expires_in: 3600 }
    const list = { items: [], total: 0, page: 1, size: 100, pages: 1 }
    const found = pathname.endsWith('/oauth/token') ? token : pathname.endsWith(path) ? answer : list
    outgoing.writeHead(200, { 'content-type': 'application/json', ...headers })
    outgoing.end(JSON.stringify(pathname.endsWith('/download') ? 'planted' : found))
  })
  try {
    return await folder.run([...args, '--url', address], { env })
  } finally {
    await close()
  }
}

it.each(['../away', '/tmp/away', 'a/b', '..', ''])('pull writes no file for the key %j', async (key) => {
  const dataset = { service_key: key, collections: [{ name: 'a', fields: [] }] }
  const list = { items: [dataset], total: 1, page: 1, size: 100, pages: 1 }
  const { exitCode, stderr } = await against('/dataset', list, ['pull'])
  expect(stderr).toContain(`The service holds a dataset with the key ${JSON.stringify(key)}, which is no key`)
  expect(exitCode).toBe(3)
  expect(folder.has('habeas')).toBe(false)
})

it('a package takes no name that is not of its request', async () => {
  const request = { id: 'pri_1', status: 'complete', results: [], packages: [{ name: 'a' }], incomplete: false }
  const name = { 'content-disposition': 'attachment; filename="habeas.config.mjs"' }
  const { exitCode, stderr } = await against('/pri_1', request, ['request', 'watch', 'pri_1'], name)
  expect(exitCode, stderr).toBe(0)
  expect(folder.read('habeas.config.mjs')).toBe(config)
  expect(folder.read('pri_1.json')).toBe('"planted"')
})

it('a service that says nothing is waited for aloud, and one that cannot be reached is named', async () => {
  const { address, close } = await listen((incoming, outgoing) => {
    incoming.resume()
    setTimeout(() => outgoing.writeHead(401).end(), 6_000)
  })
  const silent = await folder.run(['request', 'watch', 'pri_1', '--url', address], { env })
  await close()
  expect(silent.stderr).toContain(`Waiting for the service at ${address} …\n`)
  const { stderr, exitCode } = await folder.run(['request', 'watch', 'pri_1', '--url', address], { env })
  expect(stderr).toContain(`The service at ${address} could not be reached, or broke off its answer: check the address`)
  expect(exitCode).toBe(3)
})

it('no text of a service steers the terminal', async () => {
  const hold = { id: 'lho_1', status: 'active', reason: 'Case\u001b[2J 12\nlho_2\treleased', reference: null }
  const list = { items: [hold], holds: [hold], total: 1, page: 1, size: 100, pages: 1 }
  const { stdout, stderr } = await against('/legal-hold', list, ['holds', 'list'])
  expect([stdout, stderr]).toEqual(['lho_1\tactive\t-\tCase [2J 12 lho_2\treleased\n', ''])
})
