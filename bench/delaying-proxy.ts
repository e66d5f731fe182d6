import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/*
 * Process that passes bytes on to a port of this machine, each a fixed time after it came: a line of that length.
 * Arguments: port, milliseconds each way. Sends its own port and ends with its parent.
 */
const [port, delay] = process.argv.slice(2).map(Number) as [number, number]

function passOn(from: Socket, to: Socket): void {
  from.on('data', (bytes) => setTimeout(() => to.write(bytes), delay))
  from.on('close', () => setTimeout(() => to.destroy(), delay))
  from.on('error', () => {})
}

const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ port, host: '127.0.0.1', noDelay: true })
  passOn(near, far)
  passOn(far, near)
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
process.on('disconnect', () => process.exit())
process.send?.(server.address())
