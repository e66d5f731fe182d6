import type { Connector } from '@habeas/core'
import type { SeverableProxy } from './severable-proxy.js'

export type StoredRow = Readonly<Record<string, unknown>>

/** One of the databases, behind a proxy that the connector talks to. The rows are read past it, with the plain driver. */
export interface CrossedDatabase {
  readonly connector: Connector
  readonly secrets: object
  readonly proxy: SeverableProxy
  /** Every row of a collection. Numbers beyond 2^53 are text. */
  rows(collection: string): Promise<readonly StoredRow[]>
  close(): Promise<void>
}

export const targetOf = (url: string) => {
  const { hostname: host, port } = new URL(url.replace(/^\w+/, 'http'))
  return { host, port: Number(port) }
}

/** The address with the port of a proxy. */
export const through = ({ port }: SeverableProxy, url: string) => url.replace(/:\d+(?=\/)/, `:${port}`)
