import { createPrivacyService } from '@habeas/core'
import { expect, it } from 'vitest'
import { createHttpHandler } from '../src/index.js'

const privacy = createPrivacyService({ encryptionKey: Buffer.alloc(32, 1).toString('base64') })

it.each<[object, string]>([
  [
    { authorise: () => [] },
    "Option 'authorise' of createHttpHandler is not known: the nearest known name is 'authorize'.",
  ],
  [{ authorize: 'root' }, "Option 'authorize' of createHttpHandler must be a function."],
  [{ basePath: 'privacy' }, "Option 'basePath' of createHttpHandler must begin with /."],
  [
    { bodyLimits: { ordinary: '1mb' } },
    "Option 'bodyLimits.ordinary' of createHttpHandler must be a whole number of bytes.",
  ],
  [{ bodyLimits: { ordinry: 1 } }, "Option 'bodyLimits' of createHttpHandler has no member 'ordinry'."],
])('options that would do nothing are refused: %j', async (options, message) => {
  expect(() => createHttpHandler(privacy, options)).toThrow(expect.objectContaining({ code: 'misconfigured', message }))
})

it('a missing service is refused, and options without a value are none', () => {
  expect(() => createHttpHandler(undefined as never)).toThrow(
    "Option 'privacy' of createHttpHandler must be the service",
  )
  const missing = { authorise: undefined, basePath: undefined } as object
  expect(() => createHttpHandler(privacy, missing)).not.toThrow()
})
