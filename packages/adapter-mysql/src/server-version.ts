import { failure } from '@habeas/sql'

/** The two kinds of servers. They speak one protocol, and differ in their words. */
export type ServerKind = 'mysql' | 'mariadb'

const names: Readonly<Record<ServerKind, string>> = { mysql: 'MySQL', mariadb: 'MariaDB' }

/** MySQL has JSON_TABLE, casts to DOUBLE and checks by 8.0.19. MariaDB compares documents by 10.7; 10.11 is maintained. */
const least: Readonly<Record<ServerKind, string>> = { mysql: '8.0.19', mariadb: '10.11' }

/** Throws where a server is of another kind than its connection says, or too old. `version` is what the server calls itself. */
export function checkVersion(kind: ServerKind, version: string): void {
  const isMariadb = /mariadb/i.test(version)
  // MariaDB may call itself 5.5.5-10.11.6-MariaDB, for clients that know no such number
  const number = (isMariadb ? version.replace(/^5\.5\.5-(?=\d)/, '') : version).match(/^\d+(?:\.\d+)*/)?.[0] ?? ''
  const found: ServerKind = isMariadb ? 'mariadb' : 'mysql'
  if (found !== kind) {
    const message = `The server is ${names[found]}, and the connection says ${names[kind]}: make a connection of the type ${found}.`
    throw failure('other', message)
  }
  if (isBefore(number, least[kind])) {
    const message = `The server is ${names[kind]} ${number}, and version ${least[kind]} or later is needed: update the server.`
    throw failure('other', message)
  }
}

function isBefore(version: string, other: string): boolean {
  const [parts, others] = [version, other].map((text) => text.split('.').map(Number)) as [number[], number[]]
  for (const [at, least] of others.entries()) {
    const part = parts[at] ?? 0
    if (part !== least) return part < least
  }
  return false
}
