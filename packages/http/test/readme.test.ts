import { randomBytes } from 'node:crypto'
import { createPrivacyService, loadOptions, type PrivacyService } from '@habeas/core'
import { createHttpHandler } from '@habeas/http'
import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { readmeExamples, runExample } from '../../../scripts/readme-examples.js'

it('the README runs as it stands', async () => {
  const [example = ''] = await readmeExamples(new URL('../README.md', import.meta.url))
  const env = { HABEAS_ENCRYPTION_KEY: randomBytes(32).toString('base64') }
  const served: { fetch(request: Request): Promise<Response> }[] = []
  const opened: PrivacyService[] = []
  await runExample(`${example}\nopened.push(privacy)`, {
    createPrivacyService,
    loadOptions: () => loadOptions({ env }),
    createHttpHandler,
    Hono,
    serve: (server: (typeof served)[number]) => served.push(server),
    opened,
  })
  const response = await served[0]?.fetch(new Request('http://localhost:3000/privacy/health'))
  expect(await response?.json()).toMatchObject({ status: 'healthy' })
  await opened[0]?.close()
})
