import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const run = promisify(execFile)
const child = [
  '--max-old-space-size=150',
  '--conditions=@habeas/source',
  '--import',
  import.meta.resolve('tsx'),
  fileURLToPath(new URL('./ping-child.ts', import.meta.url)),
]

/** The greeting of MariaDB 10.11. */
const greeting = Buffer.from(
  '640000000a352e352e352d31302e31312e31382d4d6172696144422d302b64656231327531000f000000547a2a60273e416e00fef7080200ff811500' +
    '00000000001d000000256b6b58572c742556636d7b006d7973716c5f6e61746976655f70617373776f726400',
  'hex',
)

it.each<[string, Buffer]>([
  ['greets as MariaDB does', greeting],
  ['sends messages of no length', Buffer.alloc(64)],
  ['sends a message that is shorter than its header', Buffer.from([5, 0, 0, 0, 0])],
  ['sends a negative length', Buffer.alloc(64, 0xff)],
  ['answers as a web server', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
])('a server that %s is no MongoDB, and costs no memory', async (_, words) => {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write(words)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  const { stdout } = await run(process.execPath, [...child, String(port)])
  expect(stdout).toContain(
    'check host, port and the firewalls between, and whether another server than MongoDB listens there',
  )
  server.close()
})
