import { BlockList, isIPv4, isIPv6 } from 'node:net'

/** Ranges of IPv4 that are not public (IANA's special-purpose registry), or that belong to the machine's own cloud. */
const closedIPv4 = blocks('ipv4', [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's own address on every machine there.
  '168.63.129.16/32',
])

/** All public addresses lie here. `closedIPv6` excludes tunnels, which lead to any IPv4, and examples. */
const globalIPv6 = blocks('ipv6', ['2000::/3'])
const closedIPv6 = blocks('ipv6', ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'])

function blocks(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = '', prefix] = range.split('/')
    list.addSubnet(network, Number(prefix), family)
  }
  return list
}

/** Returns whether an address is public, so that no internal service answers there. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !closedIPv4.check(address, 'ipv4')
  return isIPv6(address) && globalIPv6.check(address, 'ipv6') && !closedIPv6.check(address, 'ipv6')
}
