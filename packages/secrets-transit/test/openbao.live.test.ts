import { afterAll, beforeAll } from 'vitest'
import { openOpenBao } from './openbao-server.js'
import { transitSuite } from './transit-suite.js'

let server: Awaited<ReturnType<typeof openOpenBao>>
beforeAll(async () => {
  server = await openOpenBao()
})
afterAll(() => server?.stop())

transitSuite(() => server)
