import { expect, it } from 'vitest'
import { checkVersion } from './server-version.js'

it.each([
  ['mysql', '8.0.19'],
  ['mysql', '8.4.0-commercial'],
  ['mysql', '9.7.4-2'],
  ['mariadb', '10.11.18-MariaDB-0+deb12u1'],
  ['mariadb', '5.5.5-10.11.6-MariaDB-log'],
  ['mariadb', '11.4.2-MariaDB'],
] as const)('%s takes %s', (kind, version) => {
  expect(() => checkVersion(kind, version)).not.toThrow()
})

it.each([
  ['mysql', '5.7.44-log', 'MySQL 5.7.44, and version 8.0.19 or later is needed'],
  ['mysql', '8.0.18', 'version 8.0.19 or later is needed'],
  ['mariadb', '10.6.12-MariaDB', 'MariaDB 10.6.12, and version 10.11 or later is needed'],
  ['mysql', '10.11.18-MariaDB', 'make a connection of the type mariadb'],
  ['mariadb', '8.4.0', 'make a connection of the type mysql'],
] as const)('%s refuses %s', (kind, version, message) => {
  expect(() => checkVersion(kind, version)).toThrow(message)
})
