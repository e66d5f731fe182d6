import { expect, it } from 'vitest'
import { isPublicAddress } from './is-public-address.js'

it.each([
  ['1.1.1.1'],
  ['8.8.8.8'],
  ['172.15.255.255'],
  ['172.32.0.1'],
  ['100.63.255.255'],
  ['100.128.0.1'],
  ['192.167.255.255'],
  ['223.255.255.255'],
  ['2606:4700:4700::1111'],
  ['2a00:1450:4001::200e'],
])('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true)
})

it.each([
  ['this network', '0.0.0.0'],
  ['this network, elsewhere', '0.1.2.3'],
  ['10/8', '10.255.255.255'],
  ['carrier-grade NAT', '100.64.0.1'],
  ["Alibaba's metadata", '100.100.100.200'],
  ['loopback', '127.0.0.1'],
  ['loopback, elsewhere', '127.255.255.254'],
  ['link-local', '169.254.0.1'],
  ['the metadata of AWS, Azure and Google', '169.254.169.254'],
  ["Azure's own", '168.63.129.16'],
  ['172.16/12', '172.16.0.1'],
  ['172.16/12, its end', '172.31.255.255'],
  ["Oracle's metadata", '192.0.0.192'],
  ['192.168/16', '192.168.0.1'],
  ['benchmarks', '198.18.0.1'],
  ['examples', '203.0.113.7'],
  ['multicast', '224.0.0.1'],
  ['reserved', '240.0.0.1'],
  ['broadcast', '255.255.255.255'],
  ['unspecified', '::'],
  ['loopback of IPv6', '::1'],
  ['IPv4-mapped loopback', '::ffff:127.0.0.1'],
  ['IPv4-mapped, in hexadecimal', '::ffff:7f00:1'],
  ['IPv4-mapped, even of a public address', '::ffff:8.8.8.8'],
  ['IPv4-compatible', '::127.0.0.1'],
  ['NAT64', '64:ff9b::7f00:1'],
  ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['6to4 of 127.0.0.1', '2002:7f00:1::'],
  ['unique local', 'fd00::1'],
  ["AWS's metadata over IPv6", 'fd00:ec2::254'],
  ['link-local of IPv6', 'fe80::1'],
  ['link-local with its zone', 'fe80::1%eth0'],
  ['multicast of IPv6', 'ff02::1'],
  ['examples of IPv6', '2001:db8::1'],
  ['no address', 'localhost'],
  ['nothing', ''],
])('%s (%s) is not', (_, address) => {
  expect(isPublicAddress(address)).toBe(false)
})
