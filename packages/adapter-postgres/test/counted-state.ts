import pg from 'pg'

/** A statement on the state, as the server counts it, and the frames of Habeas that sent it. */
export interface CountedStatement {
  readonly text: string
  readonly from: string
}

/** A pool that notes each statement that is sent through it. A text of several statements counts as several. */
export function countedPool(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  pool.on('error', () => {})
  let sent: CountedStatement[] = []
  return {
    async connect() {
      const client = await pool.connect()
      return {
        query: async (text: string, values?: unknown[]) => {
          const from = process.env['COUNT_STACKS'] ? stack() : ''
          for (const each of text.split(';')) sent.push({ text: each.trim(), from })
          return client.query(text, values)
        },
        release: (failure?: Error) => client.release(failure),
        on: client.on.bind(client),
        removeListener: client.removeListener.bind(client),
      }
    },
    /** The statements since the last call. */
    taken(): readonly CountedStatement[] {
      const taken = sent
      sent = []
      return taken
    },
    end: () => pool.end(),
  }
}

function stack(): string {
  Error.stackTraceLimit = 60
  const lines = (new Error().stack ?? '')
    .split('\n')
    .filter((line) => line.includes('/src/') && !line.includes('/state/'))
  return lines.map((line) => line.match(/src\/(.*?):\d+\)?$/)?.[1] ?? '').join(' < ')
}
