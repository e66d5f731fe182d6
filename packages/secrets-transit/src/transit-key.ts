import * as z from 'zod'
import type { CallTransit } from './call-transit.js'
import { keyUnfit } from './transit-failure.js'
import type { TransitSettings } from './transit-options.js'

/** Types of keys that authenticate a context together with the value. */
const authenticatingTypes = ['aes256-gcm96', 'aes128-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305']

const keySchema = z.object({ type: z.string(), latest_version: z.int().min(1), derived: z.boolean().exactOptional() })

const askAgainMs = 60_000

/** What is known of the key: that it fits, which is asked once, and its latest version. */
export function transitKey(settings: TransitSettings, call: CallTransit) {
  let fits: Promise<void> | undefined
  let latest = 0
  let knownAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  function seen(version: number): void {
    latest = Math.max(latest, version)
    knownAt = performance.now()
  }

  async function ask(): Promise<void> {
    const { type, latest_version: version, derived } = await call('keys', keySchema)
    if (!authenticatingTypes.includes(type))
      throw keyUnfit(settings, `is of type ${typeName(type)}, which binds no context`)
    if (derived) throw keyUnfit(settings, 'derives further keys')
    seen(version)
  }

  return {
    /** A version that has just sealed something is the latest. */
    seen,
    /**
     * Rejects with `misconfigured` for a key that does not exist or cannot be used. Sealing alone would make a key that is
     * missing, where the token may do that.
     */
    fits(): Promise<void> {
      fits ??= ask().catch((error) => {
        fits = undefined
        throw error
      })
      return fits
    },
    async latestVersion(): Promise<number> {
      if (performance.now() - knownAt > askAgainMs) {
        asking ??= ask().finally(() => {
          asking = undefined
        })
        await asking
      }
      return latest
    },
  }
}

/** The name of a type as the server says it, if it looks like one. */
const typeName = (type: string) => (/^[\w-]{1,40}$/.test(type) ? type : 'another')
