import { createWriteStream, type WriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import pg from 'pg'

const batchRows = 1000
const pieceCharacters = 64 * 1024

/** Child and grandchild as the package has them: what is delivered of each row, and no other column. */
const statements = {
  integer: [
    `select l.customer_id, l.ip_address, l.user_agent, l.device, l.logged_in_at from logins l
    join customers c on c.id = l.customer_id where c.email = $1`,
    `select g.method, g.sent_to from login_challenges g join logins l on l.id = g.login_id
    join customers c on c.id = l.customer_id where c.email = $1`,
  ],
  uuid: [
    `select v.customer_id, v.ip_address, v.landing_page, v.referrer, v.started_at from visits v
    join customers c on c.id = v.customer_id where c.email = $1`,
    `select g.kind, g.page, g.happened_at from visit_events g join visits v on v.id = g.visit_id
    join customers c on c.id = v.customer_id where c.email = $1`,
  ],
} as const

export type KeyKind = keyof typeof statements

/**
 * Two bare cursors, one after the other as one writes them by hand or both at once, each on a connection that is open,
 * and a line of JSON for each row. Gives the rows.
 */
export async function cursors(
  clients: readonly [pg.Client, pg.Client],
  kind: KeyKind,
  email: string,
  path: string,
  atOnce: boolean,
): Promise<number> {
  const file = createWriteStream(path)
  const [child, grandchild] = statements[kind]
  const first = cursor(clients[0], child, email, file)
  if (!atOnce) await first
  const second = cursor(clients[1], grandchild, email, file)
  const rows = (await first) + (await second)
  file.end()
  await finished(file)
  return rows
}

/** Fetches a portal a thousand rows at a time, and holds the server back while the file has enough to write. */
export function cursor(client: pg.Client, text: string, email: string, file: WriteStream): Promise<number> {
  return new Promise((resolve, reject) => {
    let rows = 0
    let lines = ''
    const { stream } = (client as unknown as { connection: { stream: NodeJS.ReadStream } }).connection
    // the driver's types leave the size of a portion out
    const config: pg.QueryConfig & { rows: number } = { text, values: [email], rows: batchRows }
    const query = client.query(new pg.Query(config))
    query.on('row', (row) => {
      rows += 1
      lines += `${JSON.stringify(row)}\n`
      if (lines.length < pieceCharacters) return
      if (!file.write(lines)) {
        stream.pause()
        file.once('drain', () => stream.resume())
      }
      lines = ''
    })
    query.on('error', reject)
    query.on('end', () => {
      file.write(lines)
      resolve(rows)
    })
  })
}
