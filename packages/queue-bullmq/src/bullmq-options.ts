import { PrivacyError } from '@habeas/core'
import type { RedisOptions } from 'ioredis'

export interface BullmqQueueOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://…` for TLS. Required: undefined is refused, as an unset variable gives it. */
  readonly url: string | undefined
  /** Name of the queue, the same in every process. Default: `habeas`. */
  readonly name?: string
  /** What all keys of the queue in Redis begin with. Default: `bull`, as BullMQ has it. */
  readonly prefix?: string
  /** Further options of the connections, as `ioredis` takes them, such as `tls` or `sentinels`. */
  readonly redis?: Omit<RedisOptions, 'replyMapping' | 'keyPrefix'>
}

export type BullmqSettings = Required<BullmqQueueOptions> & { readonly url: string }

const known: readonly string[] = ['url', 'name', 'prefix', 'redis'] satisfies (keyof BullmqQueueOptions)[]

/** Returns the options with their defaults. Throws `misconfigured` with the option, but never with the given value. */
export function readOptions(options: BullmqQueueOptions = { url: undefined }): BullmqSettings {
  const { url, name = 'habeas', prefix = 'bull', redis = {} } = options
  const refuse = (option: string, message: string): never => {
    throw new PrivacyError('misconfigured', `Option '${option}' of bullmqQueue ${message}.`, { option })
  }
  for (const option of Object.keys(options))
    if (!known.includes(option)) refuse(option, `is not known: there are ${known.join(', ')}`)
  if (typeof url !== 'string' || !/^rediss?:$/.test(protocolOf(url)))
    refuse('url', 'must be a URL such as redis://host:6379, or rediss://… for TLS')
  if (typeof name !== 'string' || !/^[\w.-]+$/.test(name))
    refuse('name', 'must be a name of letters, digits, "_", "-" and "."')
  if (typeof prefix !== 'string' || prefix === '') refuse('prefix', 'must be a text that is not empty')
  if (typeof redis !== 'object' || redis === null) refuse('redis', 'must be an object with options of ioredis')
  if ('keyPrefix' in redis)
    refuse('redis', 'must not have a keyPrefix, which BullMQ does not take: use the option prefix')
  return { url: url as string, name, prefix, redis }
}

function protocolOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : ''
}
