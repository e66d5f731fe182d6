import type { PrivacyService } from '@habeas/core'
import { createPrivacyRouter } from '@habeas/http-express'
import express, { type ErrorRequestHandler, type Express } from 'express'

/** A shop, with the privacy interface beside its own routes. */
export function createApp(privacy: PrivacyService): Express {
  const app = express()
  app.disable('x-powered-by')
  // Before or after body parsers: the router does not mind.
  app.use(express.json())
  app.get('/', (_, response) => {
    response.type('text').send('A shop. Its privacy interface is described at /api/v1/docs\n')
  })
  app.get('/products', (_, response) => {
    response.json([{ id: 1, name: 'Teapot' }])
  })
  // Paths it does not have go on to what follows; a prefix would do as well: app.use('/privacy', …)
  app.use(createPrivacyRouter(privacy))
  app.use(failed)
  return app
}

/** Express by itself would show its callers where in the code something failed. */
const failed: ErrorRequestHandler = (error, _request, response, next) => {
  if (response.headersSent) return next(error)
  console.error(error)
  response.status(500).type('text').send('Something failed.\n')
}
