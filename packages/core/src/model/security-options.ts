import * as z from 'zod'
import { minutesOption, secondsOption } from './time-options.js'

const shortestRootSecret = 32

const rootClientParts = ['oauthRootClientId', 'oauthRootClientSecret'] as const

/** The section `security` of the options. */
export const security = z
  .strictObject({
    /** How long an access token is valid. */
    oauthAccessTokenExpireMinutes: minutesOption.default(11_520),
    /** How long the link to a finished package is valid. */
    subjectRequestDownloadLinkTtlSeconds: secondsOption.default(86_400),
    /** How long a mailed code is valid. */
    identityVerificationCodeTtlSeconds: secondsOption.default(600),
    /** The client that holds every scope, besides the stored clients. Give both of its parts or neither. */
    oauthRootClientId: z.string().min(1).exactOptional(),
    oauthRootClientSecret: z.string().exactOptional(),
    /** For tests and examples only: allows a root secret of fewer than 32 characters, which can be guessed. */
    allowShortRootSecret: z.boolean().default(false),
  })
  .superRefine((options, context) => {
    const refuse = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message })
    const [given] = rootClientParts.filter((name) => options[name] !== undefined)
    const missing = rootClientParts.find((name) => options[name] === undefined)
    if (given && missing) refuse(missing, `must be given together with ${given}`)
    const secret = options.oauthRootClientSecret
    if (secret !== undefined && secret.length < shortestRootSecret && !options.allowShortRootSecret) {
      const message = `must have at least ${shortestRootSecret} characters; security.allowShortRootSecret takes a shorter one in tests and examples`
      refuse('oauthRootClientSecret', message)
    }
  })
  .prefault({})
