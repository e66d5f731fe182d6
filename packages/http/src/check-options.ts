import { nearestHint, PrivacyError, type PrivacyService } from '@habeas/core'
import * as z from 'zod'

const call = z.custom((value) => typeof value === 'function', 'must be a function')
const bytes = z.int('must be a whole number of bytes').min(1, 'must be at least 1').exactOptional()

/** The options of all skins. */
const options = {
  openIntake: z.boolean('must be true or false'),
  unexpected: z.enum(['answer', 'throw'], 'must be answer or throw'),
  onError: call,
  authorize: call,
  bodyLimits: z.strictObject({ ordinary: bytes, document: bytes }, 'must be an object with ordinary and document'),
  basePath: z.string('must be a path such as /privacy').regex(/^(\/.*)?$/, 'must begin with /'),
  baseUrl: z
    .string('must be a URL')
    .refine((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol), 'must be an http or https URL'),
}

export type OptionName = keyof typeof options

/** Throws `misconfigured` for what no interface can be made of, naming the option of `owner`. Hosts may write without types. */
export function checkOptions(
  owner: string,
  privacy: PrivacyService,
  given: object,
  names: readonly OptionName[],
): void {
  if (typeof privacy !== 'object' || privacy === null)
    throw refused(owner, 'privacy', 'must be the service that createPrivacyService has made')
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    const known = names.find((each) => each === name)
    if (known === undefined) throw refused(owner, name, `is not known${nearestHint(name, names)}`)
    const [issue] = options[known].safeParse(value).error?.issues ?? []
    if (!issue) continue
    const path = [name, ...issue.path].map(String).join('.')
    throw refused(owner, path, issue.code === 'unrecognized_keys' ? `has no member '${issue.keys[0]}'` : issue.message)
  }
}

function refused(owner: string, option: string, message: string): PrivacyError {
  return new PrivacyError('misconfigured', `Option '${option}' of ${owner} ${message}.`, { option })
}
