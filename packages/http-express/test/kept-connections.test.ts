import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { openWorld, root } from '../../http/test/contract/world.js'
import { keptConnections } from '../../http/test/kept-connections.js'
import { hostApp, listening, versions } from './express-skin.js'

for (const [name, express] of Object.entries(versions)) {
  keptConnections(name, (privacy) => hostApp(privacy, { express }))

  describe(name, () => {
    // A body that was not begun is thrown away by Node itself.
    it('ends a connection whose body does not end', async () => {
      const { privacy } = await openWorld()
      const { accessToken } = await privacy.tokens.issue(root)
      const server = await listening(hostApp(privacy, { express }))
      const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1')
      let answer = ''
      socket.on('data', (text) => {
        answer += text
      })
      // The server resets the connection while it is written to.
      socket.on('error', () => {})
      const closed = new Promise((resolve) => socket.once('close', resolve))
      const head = `POST /api/v1/registry HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer ${accessToken}\r\n`
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
      const chunk = `${(2 ** 20).toString(16)}\r\n${' '.repeat(2 ** 20)}\r\n`
      const write = () => {
        while (!socket.destroyed && socket.write(chunk));
      }
      socket.on('drain', write)
      write()
      await closed
      expect(answer).toMatch(/^HTTP\/1\.1 413 /)
      await server.close()
      await privacy.close()
    })
  })
}
