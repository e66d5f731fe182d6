import { AssertionError } from 'node:assert/strict'

/** Passes a promise on, or fails, naming the missing event, when it takes too long. */
export type Promptly = <Result>(promise: Promise<Result>, what: string) => Promise<Result>

/** The unit of all time limits in a contract. */
export interface Patience {
  /** How long to wait for an event that has to happen, however slow the machine. Default: 60,000. */
  readonly patienceMilliseconds?: number
}

export const deadline = ({ patienceMilliseconds = 60_000 }: Patience = {}): Promptly => {
  return async (promise, what) => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      const message = `${what} within ${patienceMilliseconds} ms`
      timer = setTimeout(() => reject(new AssertionError({ message })), patienceMilliseconds)
    })
    try {
      return await Promise.race([promise, late])
    } finally {
      clearTimeout(timer)
    }
  }
}

/** How long to wait for an event that must not happen. */
export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/** A promise with the function that fulfils it. */
export const latch = (): { readonly opened: Promise<void>; open(): void } => {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}
