import type pg from 'pg'

/** Loads the driver, at the first connection. An application may have made the connector without using it. */
export async function loadDriver(): Promise<typeof pg> {
  return (await import('pg')).default
}
