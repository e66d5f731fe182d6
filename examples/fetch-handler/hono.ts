import type { Server } from 'node:http'
import { serve } from '@hono/node-server'
import { getConnInfo } from '@hono/node-server/conninfo'
import { Hono } from 'hono'
import { handler, port, printToken, stopOnSignal } from './service.js'

const app = new Hono()
app.get('/', (context) => context.text('An app with routes of its own.'))
app.all('/privacy/*', (context) => {
  const { address } = getConnInfo(context).remote
  return handler(context.req.raw, address === undefined ? {} : { address })
})

const server = serve({ fetch: app.fetch, port }, ({ port }) => printToken(port))
stopOnSignal(server as Server)
