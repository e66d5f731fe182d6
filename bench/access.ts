import { tidyEnding } from '../demo/ending.js'
import { makeShop } from '../demo/shop/make-shop.js'
import { ordinaryCustomer } from './access/ordinary.js'
import { proxied } from './access/proxied.js'
import { atMost, type Measurement, told } from './measurement.js'

/** What an access request costs beyond the work that nobody can spare it. */
export async function access(): Promise<readonly Measurement[]> {
  const ending = tidyEnding()
  const { url } = await ending.startPostgres()
  console.log('filling the shop')
  await makeShop(url)
  const measurements = [...(await ordinary(url))]
  await ending.stop()
  return measurements
}

async function ordinary(url: string): Promise<Measurement[]> {
  console.log('(a) an ordinary customer')
  const near = await ordinaryCustomer(url, { runs: 200, pool: 4 })
  const line = await proxied(url, 5)
  const far = await ordinaryCustomer(line.url, { runs: 200, pool: 4 })
  line.stop()
  return [
    told('(a) script on loopback', near.script, 'ms'),
    told('(a) request on loopback', near.engine, 'ms'),
    atMost('(a) request / script on loopback', near.engine / near.script, 'times', 2.5),
    told('(a) script through the proxy', far.script, 'ms'),
    told('(a) request through the proxy', far.engine, 'ms'),
    atMost('(a) request / script through a proxy that adds 5 ms each way', far.engine / far.script, 'times', 1.3),
  ]
}
