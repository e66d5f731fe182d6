import { afterAll, beforeAll, it } from 'vitest'
import { type Served, type ServeOptions, serve } from './served.js'
import type { OpenSkin } from './skin.js'

type Case = (served: Served) => Promise<void>

/** Declares a case that gets a service of its own behind the skin, and lets go of it however the case ends. */
export interface Given {
  (name: string, run: Case, options?: ServeOptions): void
  /** For cases of one `describe` that only read: they share a service, which `fill` gets ready. */
  sharing<Filled>(
    fill: (served: Served) => Promise<Filled>,
    options?: ServeOptions,
  ): (name: string, run: (served: Served, filled: Filled) => Promise<void>) => void
}

export function givenServed(open: OpenSkin): Given {
  const given = (name: string, run: Case, options?: ServeOptions) =>
    void it(name, async () => {
      const served = await serve(open, options)
      try {
        await run(served)
      } finally {
        await served.close()
      }
    })
  const sharing: Given['sharing'] = (fill, options) => {
    let shared: { served: Served; filled: Awaited<ReturnType<typeof fill>> } | undefined
    beforeAll(async () => {
      const served = await serve(open, options)
      shared = { served, filled: await fill(served) }
    })
    afterAll(() => shared?.served.close())
    return (name, run) =>
      void it(name, async () => {
        if (shared) await run(shared.served, shared.filled)
      })
  }
  return Object.assign(given, { sharing })
}
