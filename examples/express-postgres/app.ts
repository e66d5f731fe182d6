import type { PrivacyService } from '@habeas/core'
import { createPrivacyRouter } from '@habeas/http-express'
import express, { type ErrorRequestHandler, type Express } from 'express'

/** A shop, with the privacy interface beside its own routes. */
export function createApp(privacy: PrivacyService): Express {
  const app = express()
  app.disable('x-powered-by')
  // Before body parsers, which take smaller bodies than datasets are. Paths that the router does not have go on to what
  // follows; a prefix would do as well: app.use('/privacy', …)
  app.use(createPrivacyRouter(privacy))
  app.use(express.json())
  app.get('/', (_, response) => {
    response.type('text').send('A shop. Its privacy interface is described at /api/v1/docs\n')
  })
  app.get('/products', (_, response) => {
    response.json([{ id: 1, name: 'Teapot' }])
  })
  app.use(failed)
  return app
}

/**
 * Express by itself would show its callers where in the code something failed. What a caller did wrong is answered and not
 * logged: the error of a body parser holds the body.
 */
const failed: ErrorRequestHandler = (error, request, response, next) => {
  if (response.headersSent) return next(error)
  const status = Number(error?.status)
  if (status >= 400 && status < 500) {
    response.status(status).type('text').send('The request cannot be read.\n')
    return
  }
  console.error(
    `${request.method} ${request.path} failed: ${error instanceof Error ? error.stack : 'no error was thrown'}`,
  )
  response.status(500).type('text').send('Something failed.\n')
}
