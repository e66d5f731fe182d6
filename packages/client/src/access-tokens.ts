export interface AccessToken {
  readonly text: string
  readonly lifetimeSeconds: number
}

/** The last part of its lifetime, in which a token is not used: it must be valid until the service has read it. */
const margin = { part: 0.1, mostSeconds: 60 }

/** One token for all calls, asked for when the first needs it and again shortly before it expires. */
export function accessTokens(ask: () => Promise<AccessToken>) {
  let held: { readonly text: string; readonly until: number } | undefined
  let coming: Promise<string> | undefined

  async function renewed(): Promise<string> {
    const asked = performance.now()
    const { text, lifetimeSeconds } = await ask()
    const usable = lifetimeSeconds - Math.min(lifetimeSeconds * margin.part, margin.mostSeconds)
    held = { text, until: asked + usable * 1000 }
    return text
  }

  return {
    /** Calls that come while a token is asked for share its outcome. */
    async get(): Promise<string> {
      if (held && performance.now() < held.until) return held.text
      coming ??= renewed().finally(() => {
        coming = undefined
      })
      return coming
    },
    /** The service has refused `text`: it is not used again. */
    refused(text: string): void {
      if (held?.text === text) held = undefined
    },
  }
}
