import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import pg from 'pg'

const batchRows = 1000

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

/** Two bare cursors, one after the other on a connection that is open, and a line of JSON for each row. Gives the rows. */
export async function cursors(client: pg.Client, kind: KeyKind, email: string, path: string): Promise<number> {
  const file = createWriteStream(path)
  let rows = 0
  for (const statement of statements[kind]) {
    await client.query('begin')
    await client.query(`declare found no scroll cursor for ${statement.replace('$1', client.escapeLiteral(email))}`)
    for (;;) {
      const batch = await client.query(`fetch ${batchRows} from found`)
      if (batch.rows.length === 0) break
      rows += batch.rows.length
      let lines = ''
      for (const row of batch.rows) lines += `${JSON.stringify(row)}\n`
      if (!file.write(lines)) await once(file, 'drain')
    }
    await client.query('commit')
  }
  file.end()
  await finished(file)
  return rows
}

/** A connection whose cursors are planned for all rows and not for the first. */
export async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('set cursor_tuple_fraction = 1')
  return client
}
