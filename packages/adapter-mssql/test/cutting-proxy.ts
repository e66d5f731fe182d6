import { cuttingProxy as proxyOf } from '../../core/test/erasure/cutting-proxy.js'

/** Before a server without encryption. The commands are batches and calls; the login is neither. */
export const cuttingProxy = (url: string) =>
  proxyOf(url, () => (bytes) => [{ bytes, ...((bytes[0] === 1 || bytes[0] === 3) && { command: `${bytes[0]}` }) }])
