import pg from 'pg'

/**
 * A pool that notes each statement that is sent through it to the tables of the state, as the server counts them: a text of
 * several statements counts as several, and so do BEGIN and COMMIT.
 */
export function countedPool(url: string) {
  const pool = new pg.Pool({ connectionString: url })
  pool.on('error', () => {})
  let sent: string[] = []
  return {
    async connect() {
      const client = await pool.connect()
      return {
        query(text: string, values?: unknown[]) {
          sent.push(...text.split(';').map(shortOf))
          return client.query(text, values)
        },
        release: (failure?: Error) => client.release(failure),
        on: client.on.bind(client),
        removeListener: client.removeListener.bind(client),
      }
    },
    /** The statements since the last call, such as `read policy` and `write privacy_request + audit_entry`. */
    taken(): readonly string[] {
      const taken = sent
      sent = []
      return taken
    },
    end: () => pool.end(),
  }
}

/** Says what a statement does to which tables. The log goes along with other writes, whenever something waits to be logged. */
function shortOf(text: string): string {
  const tables = [...text.matchAll(/"habeas"\."(?:record_)?([a-z_]+)"/g)].map(([, table]) => table)
  const named = [...new Set(tables)].filter((table) => table !== 'sort_text' && table !== 'execution_log')
  const isRead = /^\(?select/.test(text.trim())
  if (named.length === 0) return text.trim()
  if (!isRead && named.join() === 'privacy_request' && tables.includes('execution_log')) return 'write execution_log'
  return `${isRead ? 'read' : 'write'} ${named.join(' + ')}`
}
