export type Driver = typeof import('mysql2')

let loaded: Promise<Driver> | undefined

/** Loads the driver, at the first connection. It is large, and an application may have made the connector without using it. */
export function loadDriver(): Promise<Driver> {
  loaded ??= import('mysql2').then((module) => (module as unknown as { default?: Driver }).default ?? module)
  return loaded
}
