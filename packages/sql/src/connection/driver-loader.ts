/**
 * Returns a function that loads a driver once, at the first connection. A driver is large, and an application may have made the
 * connector without using it.
 */
export function driverLoader<Driver>(load: () => Promise<Driver>): () => Promise<Driver> {
  let loaded: Promise<Driver> | undefined
  return () => {
    loaded ??= load().then((module) => (module as { readonly default?: Driver }).default ?? module)
    return loaded
  }
}
