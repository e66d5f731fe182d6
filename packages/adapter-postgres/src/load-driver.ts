import type pg from 'pg'

export type Driver = typeof pg

let loaded: Promise<Driver> | undefined

/** Loads the driver, at the first connection. An application may have made the connector without using it. */
export function loadDriver(): Promise<Driver> {
  loaded ??= import('pg').then((module) => module.default)
  return loaded
}
