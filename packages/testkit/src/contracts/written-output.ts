type Write = (...values: readonly unknown[]) => unknown

const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const
const streams = ['stdout', 'stderr'] as const

/** Every function that may print, and the object that holds it. */
const places = (): { readonly owner: Record<string, Write>; readonly name: string }[] => [
  ...methods.map((name) => ({ owner: console as unknown as Record<string, Write>, name })),
  ...streams.map((name) => ({ owner: process[name] as unknown as Record<string, Write>, name: 'write' })),
]

const listeners = new Set<(text: string) => void>()
let restore: (() => void) | undefined

/** Exchanged once for all listeners, so that cases that run at the same time do not undo each other. */
const listen = (): (() => void) => {
  const undo = places().map(({ owner, name }) => {
    const original = owner[name] as Write
    owner[name] = function (this: unknown, ...values: readonly unknown[]) {
      for (const listener of listeners) listener(values.map(String).join(' '))
      return original.apply(this, [...values])
    }
    return () => {
      owner[name] = original
    }
  })
  return () => {
    for (const step of undo) step()
  }
}

/** What this process prints while `run` runs; it is printed all the same. */
export const writtenOutput = async (run: () => Promise<unknown>): Promise<string> => {
  const written: string[] = []
  const listener = (text: string): unknown => written.push(text)
  restore ??= listen()
  listeners.add(listener)
  try {
    await run()
  } finally {
    listeners.delete(listener)
    if (listeners.size === 0) {
      restore()
      restore = undefined
    }
  }
  return written.join('\n')
}
