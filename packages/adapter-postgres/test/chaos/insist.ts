import { setTimeout as delay } from 'node:timers/promises'

/** A caller repeats what an outage has kept from it. */
export async function insist<Result>(call: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!isOutage(error)) throw error
      await delay(100)
    }
  }
}

function isOutage(error: unknown): boolean {
  const { code, message } = error as { readonly code?: string; readonly message: string }
  return code === 'unavailable' || /terminat|ECONN|recovery|starting up|closed|shutting/i.test(message)
}
