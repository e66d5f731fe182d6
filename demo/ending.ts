import { type PostgresServer, startPostgres } from '@habeas/testkit'

/** Sees to it that nothing of this process is left when it ends. */
export interface Ending {
  /** Starts a server that ends with the process, however that ends. */
  startPostgres(): Promise<PostgresServer>
  /** True from the moment somebody asked for the end: what fails then, fails because of it. */
  readonly asked: boolean
  stop(): Promise<void>
  /** Puts the database away and goes with this code. */
  end(code: number): void
}

const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const

/** Takes the usual ways of being interrupted, and puts the database away before the process goes. */
export function tidyEnding(): Ending {
  let server: Promise<PostgresServer> | undefined
  let asked = false
  const stop = async () => (await server?.catch(() => undefined))?.stop()
  const end = (code: number) => {
    if (asked) return
    asked = true
    void stop().finally(() => process.exit(code))
  }
  for (const [signal, code] of Object.entries(signals)) process.on(signal, () => end(code))
  // whoever reads our output may stop reading, as `head` does
  process.stdout.on('error', () => end(0))
  return {
    startPostgres() {
      server = startPostgres()
      return server
    },
    get asked() {
      return asked
    },
    stop,
    end,
  }
}
