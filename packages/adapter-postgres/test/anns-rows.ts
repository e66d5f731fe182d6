import { openDatabase } from './database.js'
import { countsOf, erased, erasedShop, key, plain } from './erased-shop.js'
import { sharedServer } from './shared-server.js'

export let server: ReturnType<typeof sharedServer>

/** The file that calls this erases on a server. */
export function onServer(): void {
  server = sharedServer()
}

export const ann = 'ann@example.com'
export const email = plain('email', { identity: 'email' })
export const deleted = (fields: readonly object[]) => ({ name: 'customer', service_meta: { erase: 'delete' }, fields })
export const customers = [deleted([key, email, erased('name')])]

/**
 * Erases Ann's; afterwards what is left, Bob's rows of `orders` among it, of which nothing may have changed, and the rows
 * of one more table. A user who does not own the tables accepts that rows may be hidden.
 */
export async function eraseAnns(setUp: string, collections: readonly object[], user?: string, more = 'orders') {
  const database = await openDatabase(server.url, setUp)
  try {
    const url = new URL(server.url)
    if (user !== undefined) url.username = user
    await using shop = await erasedShop({ database: { ...database, url: String(url) }, collections })
    const end = await shop.erase({ email: ann }, user === undefined ? {} : { acceptUnsearched: true })
    const rowsOf = async (table: string) => (await database.client.query(`select * from ${table} order by 1`)).rows
    const [orders, customer] = [await rowsOf('orders'), await rowsOf('customer')]
    const others = await rowsOf(more)
    return {
      failure: end.failure,
      counts: countsOf(end),
      results: end.results,
      coverage: end.coverage ?? {},
      orders,
      customer,
      others,
    }
  } finally {
    await database.close()
  }
}
