import type { Secrets } from '../ports/secrets.js'

const seconds = 60
const most = 1_000

/**
 * The same, which remembers for a minute what it has opened. A run opens the data key of its request in many places, and
 * the keys may lie on a server. What could not be opened is not remembered.
 */
export function rememberedSecrets(secrets: Secrets): Pick<Secrets, 'seal' | 'open'> {
  const known = new Map<string, { readonly since: number; readonly opened: Promise<Uint8Array> }>()

  /** What was remembered first comes first. */
  function forgetOld(now: number): void {
    for (const [name, { since }] of known) {
      if (known.size <= most && now - since < seconds * 1_000) return
      known.delete(name)
    }
  }

  return {
    seal: (plaintext, context) => secrets.seal(plaintext, context),
    async open(sealed, context) {
      const now = performance.now()
      forgetOld(now)
      const name = `${Buffer.from(sealed).toString('base64')} ${context}`
      const before = known.get(name)
      if (before) return before.opened
      const opened = secrets.open(sealed, context)
      known.set(name, { since: now, opened })
      opened.catch(() => known.delete(name))
      return opened
    },
  }
}
