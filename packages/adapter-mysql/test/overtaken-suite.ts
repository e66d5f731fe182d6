import { inSmallBatches } from '../../adapter-postgres/test/crash/crash-service.js'
import { overtakenSuite, people, type SharedShop } from '../../adapter-postgres/test/crash/overtaken-suite.js'
import { connectorOf, type Kind, openDatabase } from './servers.js'

/** A worker is killed or stands still while it writes to a server of the kind. */
export const overtakenOn = (kind: Kind) =>
  overtakenSuite({
    connector: inSmallBatches(connectorOf(kind), 2),
    program: new URL('./crash-child.ts', import.meta.url),
    key: 'id',
    connectorOptions: { abandonedTransactionSeconds: 2, idleTimeoutSeconds: 1 },
    openShop: () => openShop(kind),
  })

async function openShop(kind: Kind): Promise<SharedShop> {
  const database = await openDatabase(kind)
  const { name, url, run, rows } = database
  const application = await openDatabase(kind)
  await application.run(`use ${name}`)
  await run('create table customer (id int primary key, email varchar(190), name varchar(80))')
  const insert = (id: number, email: string, name: string) =>
    application.run(`insert into customer values (${id}, '${email}', '${name}')`)
  for (const { id, email, name } of people) await insert(id, email, name)
  const own = [await rows('select connection_id()'), await application.rows('select connection_id()')]
    .flat(2)
    .join(', ')
  const sessions = (which: string) =>
    rows(`select id from information_schema.processlist where db = '${name}' and id not in (${own}) and ${which}`)
  // the server shows what it showed before to those who ask again within 100 ms
  const refreshed = () => new Promise((resolve) => setTimeout(resolve, 150))
  const transactions = (which: string) =>
    `id in (select trx_mysql_thread_id from information_schema.innodb_trx where ${which})`
  return {
    secrets: { url },
    hold: () => application.run('start transaction', 'select id from customer where id = 1 for update'),
    letGo: () => application.run('commit'),
    async waits() {
      await refreshed()
      return (await sessions(transactions(`trx_state = 'LOCK WAIT'`))).length > 0
    },
    async idle() {
      do await refreshed()
      while ((await sessions(`(command <> 'Sleep' or ${transactions('true')})`)).length > 0)
    },
    rename: (to) =>
      application.run('set innodb_lock_wait_timeout = 3600', `update customer set name = '${to}' where id = 1`),
    signUp: (to) => insert(1, people[0]?.email as string, to),
    names: async () => (await rows('select name from customer order by id')).map(([name]) => String(name)),
    async close() {
      await application.close()
      await database.close()
    },
  }
}
